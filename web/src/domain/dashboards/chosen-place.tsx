import css from './chosen-bar.module.css'

/** Keeps the place of the bar of choices until its code has arrived. */
export const ChosenPlace = () => <div className={css['bar']} />
