import { readColumnList } from '@portico/contract/column-list'

/** The names in a `select`, which the contract has written so that they can be read; none without one. */
export const readSelection = (select = ''): string[] => readColumnList(select) ?? []
