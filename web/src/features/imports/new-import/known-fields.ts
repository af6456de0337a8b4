import type { Field } from '@portico/contract/contacts'
import { useFields } from '#domain/fields'

/** The existing fields of contacts; undefined until loaded, and for users who may import but not see contacts. */
export const useKnownFields = (): Field[] | undefined => useFields().data
