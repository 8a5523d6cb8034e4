/* Fits those of sizes[8] samples from the place sizes[7] on; follows: each from the one before, if any. */
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
void fit(kernel *evaluate, const ptrdiff_t *sizes, const double *numbers, const double *seen,
         const double *weights, const double *aims, const double *before, const double *starts,
         double *q, ptrdiff_t *found)
{
    const ptrdiff_t n = sizes[0], samples = sizes[3], count = sizes[4], follows = sizes[5];
    const double *const bounds = numbers + 5, *const change = bounds + 3*n;
    const double *const pulls = change + n, *inputs[2] = {NULL, pulls + n};
    const ptrdiff_t strides[2] = {0, 0};
    struct squares s = {
        .evaluate = evaluate, .inputs = inputs, .strides = strides, .n = n, .places = sizes[1],
        .rows = sizes[2], .steps = sizes[6], .lower = bounds, .upper = bounds + n,
        .moves = bounds + 2*n, .floor = numbers[0], .settled = numbers[1], .longest = numbers[2],
        .exact = numbers[3], .closed = numbers[4]
    };
    double *const costs = q + sizes[8]*n, *const room = take(&s, costs + sizes[8]);
    for (ptrdiff_t k = sizes[7]; k < samples; k++) {
        const int is_next = k > 0 && follows;
        const double *const first = starts + k*count*n;
        double *const own = q + k*n;
        for (ptrdiff_t i = 0; i < n; i++)
            own[i] = !is_next ? before[k*n + i] : s.moves[i] != 0 ? own[i - n] : first[i];
        s.seen = seen + k*s.places;
        found[k] = fit_one(&s, weights + k*s.places, aims + k*n, change, pulls, own,
                           is_next ? own : first, is_next ? 1 : count, own, costs + k, room);
    }
}
