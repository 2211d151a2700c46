"""Work shared out among threads, while the matrix product keeps to one each."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from operator import index
from threading import Lock

_holder = Lock()


def check_count(name, value):
    """Return a number of threads, or of keys in a block, as a positive int."""
    try:
        count = index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool):
        raise TypeError(
            f"{name} is {value!r} ({type(value).__name__}), expected a whole number, "
            "1 or more"
        )
    if count < 1:
        raise ValueError(f"{name} is {count}, expected 1 or more; leave it out")
    return count


@cache
def _controller():
    """Find NumPy's BLAS, or return None if the optional threadpoolctl is missing."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    blas = ThreadpoolController().select(user_api="blas")
    return blas if blas.lib_controllers else None


def blas_threads():
    """Return how many threads a matrix product may use now; 1 if unknown."""
    blas = _controller()
    return max(lib.num_threads for lib in blas.lib_controllers) if blas else 1


@contextmanager
def one_blas_thread():
    """Hold the matrix product to one thread; put the old number back afterwards.

    The number belongs to the process, so only one holder at a time may change it, and
    only that one puts it back; others that come meanwhile leave it alone. Without
    threadpoolctl nothing is changed.
    """
    blas = _controller()
    if blas is None or not _holder.acquire(blocking=False):
        yield
        return
    limiter = blas.limit(limits=1)
    try:
        yield
    finally:
        limiter.restore_original_limits()
        _holder.release()


@cache
def _helpers(number, process):
    """Keep threads for the next call: to start one costs as much as a short call.

    A process that was forked has none of its parent's, hence the second argument.
    """
    return ThreadPoolExecutor(number, thread_name_prefix=f"sdpa-{process}")


def share_out(worker, jobs, threads):
    """Run `worker(jobs)` in several threads, each of which takes the next job.

    Parameters
    ----------
    worker : callable
        Given an iterator of jobs; what it raises is raised here.
    jobs : list
    threads : int
        Including the calling thread, which works as well. If the matrix product
        keeps threads of its own, there are no others: both would get in the way of
        each other. (Some versions of OpenBLAS can be held by the main thread only.)
    """
    # A list's iterator hands out each item once, also to several threads.
    queue = iter(jobs)
    helpers = min(threads, len(jobs)) - 1
    with one_blas_thread():
        if helpers < 1 or blas_threads() > 1:
            return worker(queue)
        pool = _helpers(helpers, os.getpid())
        futures = [pool.submit(worker, queue) for _ in range(helpers)]
        try:
            worker(queue)
        finally:
            # One that has not begun, since another call keeps the pool busy, finds no
            # job left; the others still work in the caller's arrays.
            running = [future for future in futures if not future.cancel()]
            wait(running)
        for future in running:
            future.result()
