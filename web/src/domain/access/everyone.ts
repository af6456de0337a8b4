import { everyone } from '@portico/contract/policies'
import { foldName } from '@portico/domain/names'

/** Whether it is the group that every identity belongs to automatically. */
export const isEveryone = ({ name }: { name: string }): boolean => foldName(name) === everyone
