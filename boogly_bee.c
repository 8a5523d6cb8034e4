#include <math.h>
#include "boogly_bee.h"

void evaluate(
              double input_0[19],
              double input_1[6],
              double input_2[6],
              double input_3[6],
              double output_0[36],
              double output_1[6]
             )
{

    

    output_0[0] = input_0[13] + input_0[14] + input_0[15] + input_0[16] +
    input_0[17] + input_0[18];
    output_0[1] = input_0[14] + input_0[15] + input_0[16] + input_0[17] +
    input_0[18];
    output_0[2] = input_0[15] + input_0[16] + input_0[17] + input_0[18];
    output_0[3] = input_0[16] + input_0[17] + input_0[18];
    output_0[4] = input_0[17] + input_0[18];
    output_0[5] = input_0[18];
    output_0[6] = input_0[14] + input_0[15] + input_0[16] + input_0[17] +
    input_0[18];
    output_0[7] = input_0[14] + input_0[15] + input_0[16] + input_0[17] +
    input_0[18];
    output_0[8] = input_0[15] + input_0[16] + input_0[17] + input_0[18];
    output_0[9] = input_0[16] + input_0[17] + input_0[18];
    output_0[10] = input_0[17] + input_0[18];
    output_0[11] = input_0[18];
    output_0[12] = input_0[15] + input_0[16] + input_0[17] + input_0[18];
    output_0[13] = input_0[15] + input_0[16] + input_0[17] + input_0[18];
    output_0[14] = input_0[15] + input_0[16] + input_0[17] + input_0[18];
    output_0[15] = input_0[16] + input_0[17] + input_0[18];
    output_0[16] = input_0[17] + input_0[18];
    output_0[17] = input_0[18];
    output_0[18] = input_0[16] + input_0[17] + input_0[18];
    output_0[19] = input_0[16] + input_0[17] + input_0[18];
    output_0[20] = input_0[16] + input_0[17] + input_0[18];
    output_0[21] = input_0[16] + input_0[17] + input_0[18];
    output_0[22] = input_0[17] + input_0[18];
    output_0[23] = input_0[18];
    output_0[24] = input_0[17] + input_0[18];
    output_0[25] = input_0[17] + input_0[18];
    output_0[26] = input_0[17] + input_0[18];
    output_0[27] = input_0[17] + input_0[18];
    output_0[28] = input_0[17] + input_0[18];
    output_0[29] = input_0[18];
    output_0[30] = input_0[18];
    output_0[31] = input_0[18];
    output_0[32] = input_0[18];
    output_0[33] = input_0[18];
    output_0[34] = input_0[18];
    output_0[35] = input_0[18];

    output_1[0] = -input_0[0] * input_2[0] + input_0[6] * input_0[13] +
    input_0[6] * input_0[14] + input_0[6] * input_0[15] + input_0[6] *
    input_0[16] + input_0[6] * input_0[17] + input_0[6] * input_0[18] -
    input_0[7] * input_1[0] + input_3[0] + input_3[1] + input_3[2] + input_3[3]
    + input_3[4] + input_3[5];
    output_1[1] = -input_0[1] * input_2[1] + input_0[6] * input_0[14] +
    input_0[6] * input_0[15] + input_0[6] * input_0[16] + input_0[6] *
    input_0[17] + input_0[6] * input_0[18] - input_0[8] * input_1[1] +
    input_3[1] + input_3[2] + input_3[3] + input_3[4] + input_3[5];
    output_1[2] = -input_0[2] * input_2[2] + input_0[6] * input_0[15] +
    input_0[6] * input_0[16] + input_0[6] * input_0[17] + input_0[6] *
    input_0[18] - input_0[9] * input_1[2] + input_3[2] + input_3[3] +
    input_3[4] + input_3[5];
    output_1[3] = -input_0[3] * input_2[3] + input_0[6] * input_0[16] +
    input_0[6] * input_0[17] + input_0[6] * input_0[18] - input_0[10] *
    input_1[3] + input_3[3] + input_3[4] + input_3[5];
    output_1[4] = -input_0[4] * input_2[4] + input_0[6] * input_0[17] +
    input_0[6] * input_0[18] - input_0[11] * input_1[4] + input_3[4] +
    input_3[5];
    output_1[5] = -input_0[5] * input_2[5] + input_0[6] * input_0[18] -
    input_0[12] * input_1[5] + input_3[5];

}