import { everyone } from '@portico/contract/policies'

/** Whether it is the group that everyone belongs to without being put in it. */
export const isEveryone = ({ name }: { name: string }): boolean => name.toLowerCase() === everyone
