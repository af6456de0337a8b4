import css from './cell-dates.module.css'

/** Keeps the place of a cell's dates until the code of these has arrived. */
export const DatesPlace = () => <div className={css['dates']} />
