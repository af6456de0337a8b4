import { createContext, use } from 'react'

/** True while a dashboard is prepared for printing: every cell is drawn, and tables have all their rows. */
export const Printing = createContext(false)

export const useIsPrinting = (): boolean => use(Printing)
