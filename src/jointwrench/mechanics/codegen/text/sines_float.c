/* Sines and cosines of rows; places has the rows of an angle, of its sine and of its cosine. */
SEPARATE static void all_sines(const int (*places)[3], int count, row *block)
{
    for (int k = 0; k < count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            block[places[k][1]][lane] = sinf(block[places[k][0]][lane]);
            block[places[k][2]][lane] = cosf(block[places[k][0]][lane]);
        }
}
