"""Settings under which the same code gives the same numbers on every machine."""

# One thread and one instruction set, so that floating-point sums round the same way.
REPRODUCIBLE = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
