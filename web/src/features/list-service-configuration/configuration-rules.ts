import { checkInput } from '@portico/contract/check-input'
import { ImportDefaults, maxDedupColumns, maxPurlColumns } from '@portico/contract/imports'

type ListName = keyof ImportDefaults

/** The three lists of the form, in its order. */
export const lists = [
  {
    name: 'purlColumns',
    title: 'PURL Columns',
    noun: 'PURL column',
    max: maxPurlColumns,
    about: 'Their values, one after the other, make the personalised URL of a contact.',
  },
  {
    name: 'dedupColumns',
    title: 'Dedup Columns',
    noun: 'dedup column',
    max: maxDedupColumns,
    about: 'Rows with the same values in these columns are the same contact.',
  },
  {
    name: 'notificationEmails',
    title: 'Email Notifications',
    noun: 'e-mail',
    max: 20,
    about: 'Emails to notify when an import ends.',
  },
] as const satisfies { name: ListName; title: string; noun: string; max: number; about: string }[]

/** Problems by index of the entries of each list; the schema is the server's. */
export function problemsOf(values: ImportDefaults): Record<ListName, (string | undefined)[]> {
  const found: Record<ListName, (string | undefined)[]> = { purlColumns: [], dedupColumns: [], notificationEmails: [] }
  for (const { path, message } of checkInput(ImportDefaults, values).error?.issues ?? []) {
    const [name, index] = path
    // The keys of a parsed list are its name and indexes.
    if (typeof index === 'number') found[name as ListName][index] ??= message
  }
  return found
}

/** The lists without their version. */
export const valuesOf = ({ purlColumns, dedupColumns, notificationEmails }: ImportDefaults): ImportDefaults => ({
  purlColumns,
  dedupColumns,
  notificationEmails,
})

/** In the form in which they are saved. */
export const trimmed = (values: ImportDefaults): ImportDefaults => ({
  purlColumns: values.purlColumns.map((text) => text.trim()),
  dedupColumns: values.dedupColumns.map((text) => text.trim()),
  notificationEmails: values.notificationEmails.map((text) => text.trim()),
})
