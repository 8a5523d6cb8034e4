/* The least and the greatest value of c z over D z <= g, by the simplex method on the vertices of
   the admissible set: d active rows, the inverse of their matrix, and the vertex.

   A box |z_j| <= M, larger than all numbers, makes the set bounded. Values are pairs v + m M, so that
   nothing is rounded by M, and an optimum on the box is infinite. Phase 1 finds the least s for which
   D z - w s <= g; where it is positive, its multipliers name rows that contradict each other.

   Part of the extension module _simplex; for its use see linear_programs.py. */
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Multipliers and slopes that count as zero; parts of M; by which part of its size a row may fail:
   ROUNDING of checks/tolerances.py. */
static const double NONE = 1e-10, FLAT = 1e-11, FINITE = 1e-9, MET = 1e-9;

typedef struct { double m, v; } pair;

/* Rows with tops b, the columns of a one behind the other; the active ones with the inverse of their
   matrix (its columns are edges), the vertex x, and what it leaves of the tops. */
struct polytope {
    ptrdiff_t k, n, size;
    double *a, *inverse, *slopes, *multipliers, *row, *edge;
    pair *b, *left, *x;
    ptrdiff_t *active;
    char *is_active;
};

static int is_less(pair one, pair other) {
    return fabs(one.m - other.m) > FINITE ? one.m < other.m : one.v < other.v;
}

static pair minus(pair one, double share, pair other) {
    return (pair) {one.m - share * other.m, one.v - share * other.v};
}

/* Exchange the active row at a place for another one: B + e (a_new - a_old)^T. */
static void exchange(struct polytope *p, ptrdiff_t place, ptrdiff_t entering) {
    ptrdiff_t n = p->n;
    memset(p->row, 0, n * sizeof(double));
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t i = 0; i < n; i++) p->row[i] += p->a[j * p->size + entering] * p->inverse[j * n + i];
    double pivot = p->row[place];
    p->row[place] = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        double edge = p->inverse[j * n + place] /= pivot;
        for (ptrdiff_t i = 0; i < n; i++) p->inverse[j * n + i] -= p->row[i] * edge;
    }
    p->is_active[p->active[place]] = 0;
    p->is_active[entering] = 1;
    p->active[place] = entering;
}

/* What the vertex leaves of a top. */
static pair rest(const struct polytope *p, ptrdiff_t r) {
    pair left = p->b[r];
    for (ptrdiff_t j = 0; j < p->n; j++) left = minus(left, p->a[j * p->size + r], p->x[j]);
    return left;
}

/* The vertex of the active rows, once more with what it leaves of them. */
static void locate(struct polytope *p) {
    ptrdiff_t n = p->n;
    memset(p->x, 0, n * sizeof(pair));
    for (int again = 0; again < 2; again++) {
        for (ptrdiff_t i = 0; i < n; i++) p->left[i] = rest(p, p->active[i]);
        for (ptrdiff_t j = 0; j < n; j++)
            for (ptrdiff_t i = 0; i < n; i++) p->x[j] = minus(p->x[j], -p->inverse[j * n + i], p->left[i]);
    }
}

/* Return the row that ends the way along an edge; -1 if none does. */
static ptrdiff_t next_row(const struct polytope *p, pair *shortest) {
    ptrdiff_t found = -1;
    double steepest = 0;
    for (ptrdiff_t r = 0; r < p->k; r++) if (p->slopes[r] > FLAT && !p->is_active[r]) {
        pair left = p->left[r];
        if (fabs(left.m) < FINITE) left.m = 0;
        if (left.m < 0 || (left.m == 0 && left.v < 0)) left.m = left.v = 0;
        double share = 1 / p->slopes[r];
        pair way = {left.m * share, left.v * share};
        int is_equal = found >= 0 && !is_less(way, *shortest) && !is_less(*shortest, way);
        if (found < 0 || is_less(way, *shortest) || (is_equal && p->slopes[r] > steepest)) {
            *shortest = way;
            steepest = p->slopes[r];
            found = r;
        }
    }
    return found;
}

/* Go to the vertex where c x is greatest; return whether it was reached. */
static int maximise(struct polytope *p, const double *c) {
    ptrdiff_t n = p->n, usual = 5 * (p->k + n);
    for (ptrdiff_t step = 0; step < 10 * usual; step++) {
        ptrdiff_t leaving = -1;
        double worst = -NONE;
        memset(p->multipliers, 0, n * sizeof(double));
        for (ptrdiff_t j = 0; j < n; j++)
            for (ptrdiff_t i = 0; i < n; i++) p->multipliers[i] += p->inverse[j * n + i] * c[j];
        for (ptrdiff_t i = 0; i < n; i++) {
            double own = p->multipliers[i];
            /* after many steps the row of the lowest number, so that no cycle is endless */
            int is_better = step < usual ? own < worst
                : own < -NONE && (leaving < 0 || p->active[i] < p->active[leaving]);
            if (is_better) { worst = own; leaving = i; }
        }
        if (leaving < 0) {
            if (step) locate(p);
            return 1;
        }
        for (ptrdiff_t r = 0; !step && r < p->k; r++) p->left[r] = rest(p, r);
        memset(p->slopes, 0, p->k * sizeof(double));
        for (ptrdiff_t j = 0; j < n; j++) {
            double edge = p->edge[j] = p->inverse[j * n + leaving], *column = p->a + j * p->size;
            for (ptrdiff_t r = 0; r < p->k; r++) p->slopes[r] -= column[r] * edge;
        }
        pair way = {0, 0};
        ptrdiff_t entering = next_row(p, &way);
        if (entering < 0) return 0;
        for (ptrdiff_t j = 0; j < n; j++) p->x[j] = minus(p->x[j], p->edge[j], way);
        for (ptrdiff_t r = 0; r < p->k; r++) p->left[r] = minus(p->left[r], p->slopes[r], way);
        exchange(p, leaving, entering);
    }
    return 0;
}

/* Start at a corner of the box, with s as large as it must be there; rows of z and s. */
static void start(struct polytope *p, ptrdiff_t k, const double *rows, const double *tops, const double *weights) {
    ptrdiff_t n = p->n, d = n - 1, last = p->k - 1, most = last;
    memset(p->a, 0, p->k * n * sizeof(double));
    memset(p->inverse, 0, n * n * sizeof(double));
    memset(p->is_active, 0, p->k);
    for (ptrdiff_t r = 0; r < k; r++) {
        for (ptrdiff_t j = 0; j < d; j++) p->a[j * p->size + r] = rows[r * d + j];
        p->a[d * p->size + r] = -weights[r];
        p->b[r] = (pair) {0, tops[r]};
    }
    for (ptrdiff_t j = 0; j < d; j++) {
        p->a[j * p->size + k + 2 * j] = 1;
        p->a[j * p->size + k + 2 * j + 1] = -1;
        p->b[k + 2 * j] = p->b[k + 2 * j + 1] = (pair) {1, 0};
        p->x[j] = (pair) {-1, 0};
        p->active[j] = k + 2 * j + 1;
        p->inverse[j * n + j] = -1;
    }
    p->a[d * p->size + last] = -1;
    p->b[last] = p->x[d] = (pair) {0, 0};
    for (ptrdiff_t r = 0; r < k; r++) if (weights[r] > 0) {
        pair own = {0, -tops[r] / weights[r]};
        for (ptrdiff_t j = 0; j < d; j++) own.m -= rows[r * d + j] / weights[r];
        if (is_less(p->x[d], own)) { p->x[d] = own; most = r; }
    }
    p->active[d] = most;
    for (ptrdiff_t j = 0; j < n; j++) {
        if (j < d) p->inverse[d * n + j] = p->a[j * p->size + most] / p->a[d * p->size + most];
        p->is_active[p->active[j]] = 1;
    }
    p->inverse[d * n + d] = 1 / p->a[d * p->size + most];
}

/* Leave out s, which is zero. */
static void reduce(struct polytope *p, ptrdiff_t k) {
    ptrdiff_t n = p->n, d = n - 1, last = p->k - 1, place = -1;
    double s = p->x[d].v > 0 ? p->x[d].v : 0;
    for (ptrdiff_t r = 0; r < k; r++) p->b[r].v -= p->a[d * p->size + r] * s;
    for (ptrdiff_t i = 0; i < n; i++) if (p->active[i] == last) place = i;
    if (place < 0) {
        place = 0;
        for (ptrdiff_t i = 1; i < n; i++)
            if (fabs(p->inverse[d * n + i]) > fabs(p->inverse[d * n + place])) place = i;
        exchange(p, place, last);
    }
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < n; i++) if (i != place) {
        for (ptrdiff_t j = 0; j < d; j++) p->row[j] = p->inverse[j * n + i];
        p->active[kept] = p->active[i];
        for (ptrdiff_t j = 0; j < d; j++) p->inverse[j * n + kept] = p->row[j];
        kept++;
    }
    for (ptrdiff_t j = 0; j < d; j++) memmove(p->inverse + j * d, p->inverse + j * n, d * sizeof(double));
    p->k = last;
    p->n = d;
    locate(p);
}

static double greatest(struct polytope *p, const double *c) {
    double size = 0, m = 0, v = 0, unit[p->n];
    for (ptrdiff_t j = 0; j < p->n; j++) size += c[j] * c[j];
    size = size > 0 ? sqrt(size) : 1;
    for (ptrdiff_t j = 0; j < p->n; j++) unit[j] = c[j] / size;
    if (!maximise(p, unit)) return NAN;
    for (ptrdiff_t j = 0; j < p->n; j++) { m += unit[j] * p->x[j].m; v += unit[j] * p->x[j].v; }
    return m > FINITE ? INFINITY : v * size;
}

/* For count samples: rows (k, d) of length one or zero, tops (k), weights (k), targets (t, d); the
   least and greatest values (t, 2), and for each row its share (k) of a contradiction. The workspace
   has the size that workspace() of linear_programs.py returns. */
static void extremes(ptrdiff_t count, ptrdiff_t k, ptrdiff_t d, ptrdiff_t t, const double *rows, const double *tops,
                     const double *weights, const double *targets, double *ends, double *shares, double *room)
{
    ptrdiff_t n = d + 1, most = k + 2 * d + 1;
    struct polytope p = {0};
    p.a = room;
    p.size = most;
    p.inverse = p.a + most * n;
    p.slopes = p.inverse + n * n;
    p.multipliers = p.slopes + most;
    p.row = p.multipliers + n;
    p.edge = p.row + n;
    p.b = (pair *) (p.edge + n);
    p.left = p.b + most;
    p.x = p.left + most;
    p.active = (ptrdiff_t *) (p.x + n);
    p.is_active = (char *) (p.active + n);
    for (ptrdiff_t sample = 0; sample < count; sample++, rows += k * d, tops += k, weights += k, targets += t * d, ends += 2 * t, shares += k) {
        double down[n];
        p.k = most;
        p.n = n;
        memset(down, 0, sizeof down);
        down[d] = -1;
        memset(shares, 0, k * sizeof(double));
        start(&p, k, rows, tops, weights);
        int is_done = maximise(&p, down), is_met = is_done && p.x[d].m < FINITE && p.x[d].v <= MET;
        for (ptrdiff_t i = 0; i < 2 * t; i++) ends[i] = NAN;
        if (is_met) {
            reduce(&p, k);
            for (ptrdiff_t i = 0; i < t; i++) {
                for (ptrdiff_t j = 0; j < d; j++) down[j] = -targets[i * d + j];
                ends[2 * i] = -greatest(&p, down);
                ends[2 * i + 1] = greatest(&p, targets + i * d);
            }
        } else if (is_done) {
            for (ptrdiff_t i = 0; i < n; i++) if (p.active[i] < k && p.multipliers[i] > NONE) shares[p.active[i]] = p.multipliers[i];
        } else if (k) shares[0] = NAN;
    }
}
