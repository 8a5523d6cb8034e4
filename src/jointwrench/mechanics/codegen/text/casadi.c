typedef long long int casadi_int;

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

/* Copies the requested matrices, stored by rows, into matrices stored by columns. */
static void copy(const double *from, const int (*shapes)[2], int count, double **res)
{
    for (int k = 0; k < count; k++) {
        const int rows = shapes[k][0], columns = shapes[k][1];
        for (int i = 0; res[k] && i < rows; i++)
            for (int j = 0; j < columns; j++)
                res[k][(casadi_int) j*rows + i] = from[(casadi_int) i*columns + j];
        from += (casadi_int) rows*columns;
    }
}
