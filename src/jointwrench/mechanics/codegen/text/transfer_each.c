static inline void gather_each(const real *from, long long stride, int width, int samples,
                               row *rows)
{
    for (int lane = 0; lane < LANES; lane++)
        for (int k = 0; k < width; k++)
            rows[k][lane] = from[(lane < samples ? lane : samples - 1)*stride + k];
}

static inline void scatter_each(row *block, const int *places, int width, int samples, real *to)
{
    for (int lane = 0; lane < samples; lane++)
        for (int k = 0; k < width; k++)
            to[lane*width + k] = block[places[k]][lane];
}
