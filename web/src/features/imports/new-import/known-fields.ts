import type { Field } from '@portico/contract/contacts'
import { useFields } from '#domain/fields'

/** The fields that contacts have already; undefined until they came, and for those who may import but not see contacts. */
export const useKnownFields = (): Field[] | undefined => useFields().data
