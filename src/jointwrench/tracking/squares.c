/* Weighted least squares within bounds and on constraints, by the Levenberg-Marquardt method:
   each sample has its own damping, and coordinates are scaled by their effect on the residuals.

   Part of the extension module _squares, and of the files that PoseSolver.write_c writes.
   levenberg_marquardt.py documents the arguments and the sources of the method. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef LINKAGE
#define LINKAGE static
#endif

/* The largest number of Newton steps back to the constraint manifold. */
enum {MAX_RETURNS = 20};

/* One of so many initial guesses is used unchanged; the others are combined with the best pose. */
enum {WHOLE = 3};

/* The initial damping; its factors after good and after bad steps; a step is good if its gain is at
   least GOOD times the predicted gain, bad if it is below BAD times the predicted gain. */
static const double DAMPING = 1e-3, EASED = 0.1, TIGHTENED = 10.0, GOOD = 0.25, BAD = 0.05;

/* The tolerances of checks/tolerances.py. */
static const double CANCELLED = 1e-12, SINGULAR = 1e-10, CURVATURE_KNOWN = 1e-08;

typedef int kernel(ptrdiff_t, const double *const *, const ptrdiff_t *, double *const *);

/* Sizes and arrays of ``fit``. The rows are the components of positions, then the constraints. */
struct squares {
    kernel *evaluate;
    const double **inputs;      /* the coordinates, then the constants */
    const ptrdiff_t *strides;
    ptrdiff_t n, places, rows, steps;
    int is_reaching;            /* whether the cost has only rows that must vanish, without units */
    const double *lower, *upper, *moves;
    double floor, settled, longest, exact, closed;
    const double *seen, *aims;  /* targets of the current sample: of positions, of coordinates */
    double *weights, *pulls;    /* their weights: negative for a row that must vanish */
    double *matrix, *tangents, *errors, *sizes, *scale, *is_fixed, *right, *step;
};

/* A pose: its cost, its coordinates q, and the rows' values and Jacobian (slopes) at q. */
struct sample {
    double cost, *q, *values, *slopes;
};

static double inner(const double *a, const double *b, ptrdiff_t n)
{
    double even = 0.0, odd = 0.0;  /* two sums, since each addition waits for the one before */
    ptrdiff_t k = 0;
    for (; k + 1 < n; k += 2) {
        even += a[k]*b[k];
        odd += a[k + 1]*b[k + 1];
    }
    return even + odd + (k < n ? a[k]*b[k] : 0.0);
}

/* Adds a multiple of one row to another. */
static void add(double *restrict to, double factor, const double *restrict from, ptrdiff_t n)
{
    if (factor == 0)
        return;
    for (ptrdiff_t k = 0; k < n; k++)
        to[k] += factor*from[k];
}

/* Evaluates the rows, their Jacobian and the cost at a pose; returns whether the kernel failed. */
static int evaluate(const struct squares *s, struct sample *at)
{
    double *outputs[2] = {at->values, at->slopes};
    s->inputs[0] = at->q;
    if (s->evaluate(1, s->inputs, s->strides, outputs))
        return 1;
    at->cost = 0.0;
    for (ptrdiff_t k = 0; k < s->places; k++)
        at->values[k] -= s->seen[k];
    for (ptrdiff_t k = 0; k < s->places; k++)
        if (s->weights[k] > 0)
            at->cost += s->weights[k]*at->values[k]*at->values[k];
    for (ptrdiff_t i = 0; i < s->n; i++)
        at->cost += s->pulls[i]*(at->q[i] - s->aims[i])*(at->q[i] - s->aims[i]);
    return 0;
}

/* Computes the gradient J^T W r of half the cost, and the upper triangle of the Gauss-Newton matrix
   J^T W J. */
static void linearise(const struct squares *s, const struct sample *at, double *gradient,
                      double *normal)
{
    const ptrdiff_t n = s->n;
    memset(normal, 0, (size_t) (n*n)*sizeof(double));
    for (ptrdiff_t i = 0; i < n; i++) {
        normal[i*n + i] = s->pulls[i];
        gradient[i] = s->pulls[i]*(at->q[i] - s->aims[i]);
    }
    for (ptrdiff_t k = 0; k < s->places; k++) {
        const double weight = s->weights[k], *const slopes = at->slopes + k*n;
        if (!(weight > 0))
            continue;
        add(gradient, weight*at->values[k], slopes, n);
        for (ptrdiff_t i = 0; i < n; i++)
            if (slopes[i] != 0)
                add(normal + i*n + i, weight*slopes[i], slopes + i, n - i);
    }
}

/* Whether a step moves a coordinate that is at a bound beyond it. */
static int beyond(const struct squares *s, const double *q, const double *step, ptrdiff_t i)
{
    return (q[i] <= s->lower[i] && step[i] < 0) || (q[i] >= s->upper[i] && step[i] > 0);
}

/* Orthonormalises the rows that must vanish, in scaled coordinates that are not fixed, with their
   errors; returns the rank. It is Gram and Schmidt's method: the largest remaining row comes next,
   and is orthogonalised twice against roundoff. */
static ptrdiff_t tangents(const struct squares *s, const struct sample *at)
{
    const ptrdiff_t n = s->n;
    double *const rows = s->tangents, largest = 0.0;
    ptrdiff_t count = 0, rank;
    for (ptrdiff_t k = 0; k < s->rows; k++) {
        const double root = s->weights[k] < 0 ? sqrt(-s->weights[k]) : 0.0;
        if (root == 0)
            continue;
        for (ptrdiff_t i = 0; i < n; i++)
            rows[count*n + i] = s->is_fixed[i] ? 0.0 : root*at->slopes[k*n + i]/s->scale[i];
        s->errors[count] = root*at->values[k];
        s->sizes[count] = inner(rows + count*n, rows + count*n, n);
        count++;
    }
    for (rank = 0; rank < count && rank < n; rank++) {
        double *const own = rows + rank*n;
        ptrdiff_t first = rank;
        for (ptrdiff_t k = rank + 1; k < count; k++)
            if (s->sizes[k] > s->sizes[first])
                first = k;
        for (ptrdiff_t i = 0; first != rank && i < n; i++) {
            const double other = own[i];
            own[i] = rows[first*n + i];
            rows[first*n + i] = other;
        }
        const double error = s->errors[first];
        s->errors[first] = s->errors[rank];
        s->errors[rank] = error;
        s->sizes[first] = s->sizes[rank];
        for (ptrdiff_t k = 0; k < rank; k++) {
            const double part = inner(own, rows + k*n, n);
            add(own, -part, rows + k*n, n);
            s->errors[rank] -= part*s->errors[k];
        }
        const double size = sqrt(inner(own, own, n));
        largest = fmax(largest, size);
        if (!(size > SINGULAR*largest))
            break;
        for (ptrdiff_t i = 0; i < n; i++)
            own[i] /= size;
        s->errors[rank] /= size;
        for (ptrdiff_t k = rank + 1; k < count; k++) {
            const double least = SINGULAR*largest, part = inner(rows + k*n, own, n);
            if (part == 0 || !(s->sizes[k] > least*least))  /* orthogonal, or only roundoff */
                continue;
            add(rows + k*n, -part, own, n);
            s->errors[k] -= part*s->errors[rank];
            s->sizes[k] = inner(rows + k*n, rows + k*n, n);
        }
    }
    return rank;
}

/* Fixes the coordinates that the step moves beyond their bounds; returns whether there are any. */
static int stop(const struct squares *s, const struct sample *at)
{
    int any = 0;
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (!s->is_fixed[i] && beyond(s, at->q, s->step, i)) {
            s->is_fixed[i] = 1;
            any = 1;
        }
    return any;
}

/* Clips coordinates to their bounds. */
static void clip(const struct squares *s, double *q)
{
    for (ptrdiff_t i = 0; i < s->n; i++)
        q[i] = fmin(fmax(q[i], s->lower[i]), s->upper[i]);
}

/* Moves a pose to the constraint manifold by Newton's method and evaluates it; returns the largest
   remaining residual. */
static double return_to_constraints(const struct squares *s, struct sample *at)
{
    const ptrdiff_t n = s->n;
    double before = INFINITY;
    for (int step = 0;; step++) {
        double left = 0.0;
        if (evaluate(s, at))
            return NAN;
        for (ptrdiff_t k = 0; k < s->rows; k++)
            if (s->weights[k] < 0)
                left = fmax(left, sqrt(-s->weights[k])*fabs(at->values[k]));
        if (!(left > s->exact && left < before) || step == MAX_RETURNS)
            return left;
        before = left;
        for (ptrdiff_t i = 0; i < n; i++) {
            s->scale[i] = 1.0;
            s->is_fixed[i] = s->moves[i] == 0;
        }
        do {
            const ptrdiff_t rank = tangents(s, at);
            memset(s->step, 0, (size_t) n*sizeof(double));
            for (ptrdiff_t k = 0; k < rank; k++)
                add(s->step, -s->errors[k], s->tangents + k*n, n);
        } while (stop(s, at));
        add(at->q, 1.0, s->step, n);
        clip(s, at->q);
    }
}

/* Solves matrix*x = b for a symmetric positive definite matrix, from its upper triangle; x holds b
   on entry. */
static void solve(double *matrix, double *x, ptrdiff_t n)
{
    for (ptrdiff_t k = 0; k < n; k++) {
        const double inverse = 1.0/matrix[k*n + k];
        for (ptrdiff_t i = k + 1; i < n; i++) {
            const double part = matrix[k*n + i]*inverse;
            if (part == 0)
                continue;
            add(matrix + i*n + i, -part, matrix + k*n + i, n - i);
            x[i] -= part*x[k];
        }
    }
    for (ptrdiff_t k = n - 1; k >= 0; k--)
        x[k] = (x[k] - inner(matrix + k*n + k + 1, x + k + 1, n - k - 1))/matrix[k*n + k];
}

/* Finds the damped step along the constraints, within bounds. */
static void find_step(const struct squares *s, const struct sample *at, double damping,
                      const double *gradient, const double *normal)
{
    const ptrdiff_t n = s->n;
    for (ptrdiff_t i = 0; i < n; i++) {
        s->scale[i] = normal[i*n + i] > 0 ? sqrt(normal[i*n + i]) : 1.0;
        s->step[i] = -gradient[i];
        s->is_fixed[i] = s->moves[i] == 0 || beyond(s, at->q, s->step, i);
    }
    do {
        double *const matrix = s->matrix, *const rows = s->tangents, *const x = s->step;
        const ptrdiff_t rank = tangents(s, at);
        for (ptrdiff_t i = 0; i < n; i++) {
            x[i] = s->is_fixed[i] ? 0.0 : -gradient[i]/s->scale[i];
            for (ptrdiff_t j = i; j < n; j++)
                matrix[i*n + j] = matrix[j*n + i] = s->is_fixed[i] || s->is_fixed[j]
                    ? 0.0 : normal[i*n + j]/(s->scale[i]*s->scale[j]);
        }
        /* The step stays in the tangents of the constraints, whose orthonormal normals are the rows
           of T: the matrix becomes (1 - T'T) matrix (1 - T'T) + T'T, row by row of T. */
        for (ptrdiff_t k = 0; k < rank; k++) {
            const double *const own = rows + k*n;
            add(x, -inner(own, x, n), own, n);
            for (ptrdiff_t i = 0; i < n; i++)
                s->right[i] = inner(matrix + i*n, own, n);
            const double along = inner(own, s->right, n);
            for (ptrdiff_t i = 0; i < n; i++) {
                add(matrix + i*n, (along + 1.0)*own[i] - s->right[i], own, n);
                add(matrix + i*n, -own[i], s->right, n);
            }
        }
        for (ptrdiff_t i = 0; i < n; i++)
            matrix[i*n + i] += damping + (s->is_fixed[i] ? 1.0 : 0.0);
        solve(matrix, x, n);
        for (ptrdiff_t i = 0; i < n; i++)
            x[i] /= s->scale[i];
    } while (stop(s, at));
}

/* The share of a step up to the first bound. */
static double until_bound(const struct squares *s, const double *q)
{
    double part = INFINITY;
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (s->step[i] != 0 && !beyond(s, q, s->step, i))
            part = fmin(part, ((s->step[i] < 0 ? s->lower : s->upper)[i] - q[i])/s->step[i]);
    return part;
}

/* Minimises the cost from a pose; returns 0 if the constraints are not satisfied at the end, 1 if
   they are, and 2 if the cost is also at its minimum. */
static int minimise(const struct squares *s, struct sample *at, struct sample *trial,
                    double *gradient, double *normal)
{
    const ptrdiff_t n = s->n;
    double damping = DAMPING, length = 1.0;
    int held = 0;
    for (ptrdiff_t k = 0; k < s->rows; k++)
        held |= s->weights[k] < 0;
    clip(s, at->q);
    int is_closed = return_to_constraints(s, at) <= s->closed;
    linearise(s, at, gradient, normal);
    for (ptrdiff_t step = 0; step < s->steps; step++) {
        const int is_nothing = is_closed && at->cost <= s->floor;
        if (s->is_reaching)  /* far from the targets short steps avoid minima at bounds */
            damping = fmax(damping, at->cost);
        find_step(s, at, damping, gradient, normal);
        memcpy(trial->q, at->q, (size_t) n*sizeof(double));
        if (held)  /* clipped steps would leave the tangents */
            length = fmin(length, until_bound(s, at->q));
        add(trial->q, length, s->step, n);
        clip(s, trial->q);
        double promised = 0.0, curved = 0.0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const double moved = trial->q[i] - at->q[i];
            promised -= gradient[i]*moved;
            curved -= damping*s->scale[i]*s->scale[i]*moved*moved;
        }
        curved += length*promised;  /* the curvature of the linearised residuals along the step */
        const int is_there = return_to_constraints(s, trial) <= s->closed;
        const double gained = at->cost - trial->cost;
        const double sure = fmax(1.0, damping/DAMPING)/length;
        const int done = fabs(promised)*sure <= s->settled*at->cost;
        const int better = is_there && (gained >= 0 || !is_closed);
        if (better) {
            const struct sample old = *at;
            *at = *trial;
            *trial = old;
            linearise(s, at, gradient, normal);
        }
        is_closed |= is_there;
        if (better && promised > CURVATURE_KNOWN*trial->cost)
            length = curved/fmax(2.0*promised - gained, curved/s->longest);
        length = better ? fmin(fmax(length, 1.0/s->longest), s->longest) : 1.0;
        const int is_bad = !better || gained < BAD*promised;
        damping *= is_bad ? TIGHTENED : gained >= GOOD*promised ? EASED : 1.0;
        damping = fmax(damping, CANCELLED);
        /* at the largest damping only roundoff prevents a better step */
        if (is_nothing || done || damping > 1.0/CANCELLED)
            return 2*is_closed;
    }
    return is_closed + (is_closed && at->cost <= s->floor);
}

/* Combines the best pose with an initial guess: coordinates that move at least as many missed as
   reached targets take the value of the guess, the others stay. */
static void restart(const struct squares *s, struct sample *at, const double *best,
                  const double *start)
{
    const ptrdiff_t n = s->n;
    memcpy(at->q, best, (size_t) n*sizeof(double));
    const int failed = evaluate(s, at);
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t missed = 0;
        for (ptrdiff_t k = 0; k < s->places; k++)
            if (s->weights[k] > 0 && at->slopes[k*n + i] != 0)
                missed += s->weights[k]*at->values[k]*at->values[k] > s->floor ? 1 : -1;
        if (failed || missed >= 0)
            at->q[i] = start[i];
    }
}

/* Fits one sample. First the rows that must vanish are minimised, from one initial guess after the
   other until they do; then the other terms, with these rows as constraints. Returns 0 if the rows
   do not vanish, 1 if they do, 2 if the cost is also at its minimum. */
static int fit_one(struct squares *s, const double *weights, const double *aims,
                   const double *change, const double *pulls, const double *before,
                   const double *starts, ptrdiff_t count, double *q, double *cost,
                   double *workspace)
{
    const ptrdiff_t n = s->n;
    double *const gradient = workspace, *const normal = gradient + n, *const own = normal + n*n;
    struct sample at = {0.0, own + n, own + 2*n, own + 2*n + s->rows}, trial = at;
    double *const next = at.slopes + s->rows*n;
    trial.q = next, trial.values = next + n, trial.slopes = next + n + s->rows;
    int vanish = 0, more = 0, found = 0;
    for (ptrdiff_t k = 0; k < s->places; k++) {
        vanish |= weights[k] < 0;
        more |= weights[k] > 0;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        const double sum = change[i] + pulls[i];
        more |= sum > 0;
        own[i] = sum > 0 ? before[i] + pulls[i]/sum*(aims[i] - before[i]) : 0.0;
        s->pulls[i] = vanish ? 0.0 : sum;
    }
    s->aims = own;
    s->is_reaching = vanish;
    for (ptrdiff_t k = 0; k < s->rows; k++)
        s->weights[k] = k >= s->places ? -1.0 : vanish ? fmax(-weights[k], 0.0) : weights[k];
    *cost = INFINITY;
    for (ptrdiff_t k = 0; k < count && !found; k++) {
        memcpy(at.q, starts + k*n, (size_t) n*sizeof(double));
        if (vanish && k % WHOLE != 0)
            restart(s, &at, q, starts + k*n);
        found = minimise(s, &at, &trial, gradient, normal);
        if (vanish && !(at.cost <= s->floor))
            found = 0;
        if (found || k == 0 || at.cost < *cost) {
            *cost = at.cost;
            memcpy(q, at.q, (size_t) n*sizeof(double));
        }
    }
    if (!vanish || !found || !more)
        return found;
    memcpy(s->weights, weights, (size_t) s->places*sizeof(double));
    for (ptrdiff_t i = 0; i < n; i++)
        s->pulls[i] = change[i] + pulls[i];
    s->is_reaching = 0;
    memcpy(at.q, q, (size_t) n*sizeof(double));
    found = minimise(s, &at, &trial, gradient, normal);
    if (found)
        memcpy(q, at.q, (size_t) n*sizeof(double));
    return found ? found : 1;
}

/* Fits the samples sizes[7] to sizes[3] - 1 of sizes[8]; if sizes[5] is nonzero, each but the first
   from the solution of the previous sample. The other sizes are the numbers of coordinates [0],
   position components [1], rows [2], initial guesses [4] and steps [6]. The numbers are limits,
   bounds, free coordinates, weights of changes and of coordinates, and constants; q has space for
   coordinates, then costs, then the workspace. */
LINKAGE void fit(kernel *evaluate, const ptrdiff_t *sizes, const double *numbers,
                 const double *seen, const double *weights, const double *aims,
                 const double *before, const double *starts, double *q, ptrdiff_t *found)
{
    const ptrdiff_t n = sizes[0], m = sizes[2], samples = sizes[3], count = sizes[4];
    const double *const bounds = numbers + 5, *const change = bounds + 3*n;
    const double *const pulls = change + n, *inputs[2] = {NULL, pulls + n};
    const ptrdiff_t strides[2] = {0, 0};
    double *const costs = q + sizes[8]*n, *const rows = costs + sizes[8];
    double *const workspace = rows + 3*m, *const more = workspace + 5*n;
    struct squares s = {
        .evaluate = evaluate, .inputs = inputs, .strides = strides, .n = n, .places = sizes[1],
        .rows = m, .steps = sizes[6], .lower = bounds, .upper = bounds + n, .moves = bounds + 2*n,
        .floor = numbers[0], .settled = numbers[1], .longest = numbers[2], .exact = numbers[3],
        .closed = numbers[4], .weights = rows, .errors = rows + m, .sizes = rows + 2*m,
        .pulls = workspace, .scale = workspace + n, .is_fixed = workspace + 2*n,
        .right = workspace + 3*n, .step = workspace + 4*n, .tangents = more, .matrix = more + m*n
    };
    for (ptrdiff_t k = sizes[7]; k < samples; k++) {
        const int is_next = k > 0 && sizes[5];
        const double *const first = starts + k*count*n;
        double *const own = q + k*n;
        for (ptrdiff_t i = 0; i < n; i++)
            own[i] = !is_next ? before[k*n + i] : s.moves[i] != 0 ? own[i - n] : first[i];
        s.seen = seen + k*s.places;
        found[k] = fit_one(&s, weights + k*s.places, aims + k*n, change, pulls, own,
                           is_next ? own : first, is_next ? 1 : count, own, costs + k,
                           more + (m + n)*n);
    }
}
