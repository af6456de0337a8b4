import type { Field } from '@portico/contract/contacts'
import { useFields } from '#domain/fields'
import { useCan } from '#lib/session/session.ts'

/** The fields that contacts have already; undefined until they came, and for those who may import but not see contacts. */
export const useKnownFields = (): Field[] | undefined => useFields(useCan('contact-offers-list')).data
