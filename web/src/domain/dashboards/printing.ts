import { createContext, use } from 'react'

/** True while a dashboard is made ready for paper: every cell is drawn, and tables have all their rows. */
export const Printing = createContext(false)

export const useIsPrinting = (): boolean => use(Printing)
