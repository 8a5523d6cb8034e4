static real sign(real x)
{
    return x > 0 ? 1 : (x < 0 ? -1 : x);
}

static real maximum(real x, real y)
{
    return x > y || isnan(x) ? x : y;
}

static real minimum(real x, real y)
{
    return x < y || isnan(x) ? x : y;
}

static real heaviside(real x, real at_zero)
{
    return x < 0 ? 0 : (x > 0 ? 1 : (isnan(x) ? x : at_zero));
}

/* The remainder with the sign of the divisor. */
static real mod(real x, real y)
{
    const real remainder = fmod(x, y);
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}
