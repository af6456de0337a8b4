/** Number of days in which an import or a bulk delete can be undone. */
export const undoDays = 30

/** Maximum number of items listed that an undo could not restore. */
export const mostKeptListed = 100
