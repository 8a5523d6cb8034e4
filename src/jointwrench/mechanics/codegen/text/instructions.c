#if WIDTH > 1
static inline vec all(real x)
{
    const vec zero = {0};
    return x - zero;
}
#else
#define all(x) (x)
#endif

#if WIDTH > 1
static inline vec choice(vec a, vec b, vec x, vec y)
{
    const bits is_larger = (bits) (a > b);
    return (vec) ((is_larger & (bits) x) | (~is_larger & (bits) y));
}
#else
#define choice(a, b, x, y) ((a) > (b) ? (x) : (y))
#endif

#if WIDTH > 1
static inline vec certain(vec a, vec b, vec x)
{
    const vec zero = {0};
    const bits is_larger = (bits) (a > b);
    return (vec) ((is_larger & (bits) x) | (~is_larger & (bits) (NAN - zero)));
}
#else
#define certain(a, b, x) ((a) > (b) ? (x) : NAN)
#endif

#if WIDTH > 1
static inline vec absorbing(vec a, vec b, vec c)
{
    const vec zero = {0};
    return (vec) ((bits) (a != zero) & (bits) (c != zero) & (bits) (a*b));
}
#else
#define absorbing(a, b, c) ((a) == 0 || (c) == 0 ? 0 : (a)*(b))
#endif

#if WIDTH > 1
static inline vec absolute(vec x)
{
    const vec zero = {0};
    return (vec) ((bits) x & ~(bits) -zero);
}
#else
#define absolute(x) fabs(x)
#endif

#if WIDTH > 1
static inline vec root(vec x)
{
    for (int k = 0; k < WIDTH; k++)
        x[k] = sqrt(x[k]);
    return x;
}
#else
#define root(x) sqrt(x)
#endif
