/** Finding one contact by its PURL, its id or the value of a field, in any form. */
export { FindFields } from './find-fields.tsx'
export { FoundContacts } from './found-contacts.tsx'
export { useContactSearch } from './use-contact-search.ts'
