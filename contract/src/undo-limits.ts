/** For how many days an import can be taken back, and a bulk delete undone. */
export const undoDays = 30

/** Of what an undo could not do, a list names the first. */
export const mostKeptListed = 100
