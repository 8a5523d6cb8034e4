/*
A controller of the Franka Panda at 1 kHz, with the C code that panda_controller.py writes.

It follows a reference by computed torques, and makes up for what pushes the hand: from the
torques that were measured and the motion that they caused it knows the wrench of the contact,
whose share in the joints the hand's Jacobian tells. The arm itself is simulated here; in a real
one the states and the torques come from its sensors.

Nothing is allocated, and every step does the same operations.
*/

#include "panda_arm.h"
#include "panda_contact.h"
#include "panda_hand.h"
#include "panda_torques.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { JOINTS = 7, RATE = 1000, STEPS = 2000, PUSHED_FROM = 1000 };

/* What pushes the hand, in its frame, about its origin: force, then moment. */
static const double PUSH[6] = {12.0, -5.0, 20.0, 0.4, -0.2, 0.1};

static const double START[JOINTS] = {0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8};
static const double END[JOINTS] = {1.2, 0.5, -0.4, -1.2, 0.6, 2.4, -0.5};

struct state {
    double q[JOINTS], u[JOINTS], udot[JOINTS];
};

/* What one controller keeps from step to step, and what it works in. */
struct controller {
    struct state last;
    double wrench[6]; /* of the contact, on the hand, in its frame, about its origin */
    double torques_workspace[PANDA_TORQUES_WORKSPACE];
    double hand_workspace[PANDA_HAND_WORKSPACE];
    double contact_workspace[PANDA_CONTACT_WORKSPACE];
};

/* Writes into c->wrench what pushed the hand in the last step, by the torques measured in it. */
static void observe(struct controller *c, const struct state *now, const double *measured)
{
    for (int k = 0; k < JOINTS; k++)
        c->last.udot[k] = (now->u[k] - c->last.u[k])*RATE;
    panda_contact_evaluate(c->last.q, c->last.u, c->last.udot, 0, measured, 0, c->wrench,
                           c->contact_workspace);
}

/* Returns by `torques` what the motors have to do until the next step. */
static void control(struct controller *c, const struct state *now, const struct state *wanted,
                    double *torques)
{
    const double stiffness = 400.0, damping = 40.0; /* 1/s^2 and 1/s */
    double udot[JOINTS], forces[3*JOINTS], moments[3*JOINTS];
    for (int k = 0; k < JOINTS; k++)
        udot[k] = wanted->udot[k] + stiffness*(wanted->q[k] - now->q[k])
                  + damping*(wanted->u[k] - now->u[k]);
    panda_torques_evaluate(now->q, now->u, udot, 0, 0, 0, torques, c->torques_workspace);
    panda_hand_evaluate(now->q, now->u, 0, 0, 0, 0, forces, moments, c->hand_workspace);
    for (int k = 0; k < JOINTS; k++)
        for (int i = 0; i < 3; i++)
            torques[k] -= forces[i*JOINTS + k]*c->wrench[i] + moments[i*JOINTS + k]*c->wrench[3 + i];
    c->last = *now;
}

/* The smoothest motion from START to END, from rest to rest. */
static void reference(int step, struct state *wanted)
{
    const double duration = (double) STEPS/RATE, s = (double) step/STEPS;
    for (int k = 0; k < JOINTS; k++) {
        const double way = END[k] - START[k];
        wanted->q[k] = START[k] + way*s*s*s*(10.0 - 15.0*s + 6.0*s*s);
        wanted->u[k] = way*30.0*s*s*(1.0 - s)*(1.0 - s)/duration;
        wanted->udot[k] = way*60.0*s*(1.0 - s)*(1.0 - 2.0*s)/(duration*duration);
    }
}

/* The arm for one step: known wrench and torques in, motion out. */
static void move(struct state *arm, const double *push, const double *torques)
{
    static double workspace[PANDA_ARM_WORKSPACE];
    double loads[6 + JOINTS];
    for (int k = 0; k < 6; k++)
        loads[k] = push[k];
    for (int k = 0; k < JOINTS; k++)
        loads[6 + k] = torques[k];
    panda_arm_evaluate(arm->q, arm->u, 0, loads, 0, arm->udot, workspace);
    for (int k = 0; k < JOINTS; k++) {
        arm->u[k] += arm->udot[k]/RATE;
        arm->q[k] += arm->u[k]/RATE;
    }
}

int main(void)
{
    static const double free_hand[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    static struct controller controller;
    static struct state arm, wanted;
    double torques[JOINTS], wrench_error = 0.0, angle_error = 0.0, longest = 0.0, sum = 0.0;

    for (int k = 0; k < JOINTS; k++)
        arm.q[k] = START[k];
    for (int step = 0; step < STEPS; step++) {
        const double *push = step < PUSHED_FROM ? free_hand : PUSH;
        const clock_t began = clock();
        double seconds;
        if (step > 0)
            observe(&controller, &arm, torques);
        reference(step, &wanted);
        control(&controller, &arm, &wanted, torques);
        seconds = (double) (clock() - began)/CLOCKS_PER_SEC;
        sum += seconds;
        longest = seconds > longest ? seconds : longest;
        for (int k = 0; step > PUSHED_FROM && k < 6; k++)
            wrench_error = fmax(wrench_error, fabs(controller.wrench[k] - push[k]));
        for (int k = 0; k < JOINTS; k++)
            angle_error = fmax(angle_error, fabs(wanted.q[k] - arm.q[k]));
        move(&arm, push, torques);
    }
    printf("error of the contact wrench %.1e N, of the angles %.1e rad\n", wrench_error, angle_error);
    printf("a step takes %.1f us, at most %.0f us of %d\n", 1e6*sum/STEPS, 1e6*longest,
           1000000/RATE);
    return wrench_error < 1e-6 && angle_error < 1e-2 ? 0 : 1;
}
