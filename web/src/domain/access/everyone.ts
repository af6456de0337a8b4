import { everyone } from '@portico/contract/policies'
import { foldName } from '@portico/domain/names'

/** Whether it is the group that everyone belongs to without being put in it. */
export const isEveryone = ({ name }: { name: string }): boolean => foldName(name) === everyone
