/* Angles up to this size are reduced by multiples of pi/2; larger ones go to the C library. */
#define LARGEST_ANGLE 1.6e6

/* Whether the compiler keeps the order of sums, if EXACT_ARITHMETIC. */
#if defined(SUMS_AS_WRITTEN) || defined(_MSC_VER)
#define HAS_EXACT_SUMS 1
#elif defined(__clang__)
#define HAS_EXACT_SUMS (__clang_major__ >= 13)
#elif defined(__GNUC__) && !defined(__INTEL_COMPILER)
#define HAS_EXACT_SUMS (__GNUC__ >= 12)
#else
#define HAS_EXACT_SUMS 0
#endif

/* The nearest integer; adding and subtracting a large number is the fastest way. */
#if HAS_EXACT_SUMS
#define NEAREST(x) (((x) + 6755399441055744.0) - 6755399441055744.0)
#else
#define NEAREST(x) rint(x)
#endif

/* Sines and cosines of eight angles. */
SEPARATE static void sines_and_cosines(const double *RESTRICT angle, double *RESTRICT sine,
                                       double *RESTRICT cosine)
{
#if defined(__clang__) && HAS_EXACT_SUMS
#pragma clang fp reassociate(off)
#endif
    int large = 0;
#if EXACT_ARITHMETIC
    ALL_LANES
    for (int lane = 0; lane < 8; lane++) {
        const double x = angle[lane];
        /* The nearest multiple n of pi/2, and the remainder. */
        const double n = NEAREST(x*6.36619772367581382433e-01);
        const double a = x - n*1.57079632673412561417e+00;
        const double b = n*6.07710050630396597660e-11;
        const double c = a - b;
        const double r = c - (n*2.02226624879595063154e-21 - ((a - c) - b));
        /* Sine s and cosine c of the remainder. */
        const double z = r*r;
        const double s = r + z*r*(-1.66666666666666324348e-01
            + z*(8.33333333332248946124e-03 + z*(-1.98412698298579493134e-04
            + z*(2.75573137070700676789e-06 + z*(-2.50507602534068634195e-08
            + z*1.58969099521155010221e-10)))));
        const double k = 1.0 - (0.5*z - z*z*(4.16666666666666019037e-02
            + z*(-1.38888888888741095749e-03 + z*(2.48015872894767294178e-05
            + z*(-2.75573143513906633035e-07 + z*(2.08757232129817482790e-09
            + z*-1.13596475577881948265e-11))))));
        /* Cosine f and sine g of n*pi/2, of which each is 0, 1 or -1. */
        const double q = n - 4.0*NEAREST(0.25*n);
        const double f = 1.0 - fabs(q);
        const double g = q*(2.0 - fabs(q));
        sine[lane] = f*s + g*k;
        cosine[lane] = f*k - g*s;
    }
    for (int lane = 0; lane < 8; lane++)
        large |= !(fabs(angle[lane]) <= LARGEST_ANGLE);
    if (!large)
        return;
#endif
    for (int lane = 0; lane < 8; lane++) {
        if (!EXACT_ARITHMETIC || !(fabs(angle[lane]) <= LARGEST_ANGLE)) {
            sine[lane] = sin(angle[lane]);
            cosine[lane] = cos(angle[lane]);
        }
    }
    (void) large;
}

/* Sines and cosines of rows; places has the rows of an angle, of its sine and of its cosine. */
SEPARATE static void all_sines(const int (*places)[3], int count, row *block)
{
#if LANES == 8
    for (int k = 0; k < count; k++)
        sines_and_cosines(block[places[k][0]], block[places[k][1]], block[places[k][2]]);
#else
    for (int first = 0; first < LANES*count; first += 8) {
        real angle[8] = {0}, sine[8], cosine[8];
        const int some = LANES*count - first < 8 ? LANES*count - first : 8;
        for (int k = 0; k < some; k++)
            angle[k] = block[places[(first + k)/LANES][0]][(first + k)%LANES];
        sines_and_cosines(angle, sine, cosine);
        for (int k = 0; k < some; k++) {
            block[places[(first + k)/LANES][1]][(first + k)%LANES] = sine[k];
            block[places[(first + k)/LANES][2]][(first + k)%LANES] = cosine[k];
        }
    }
#endif
}
