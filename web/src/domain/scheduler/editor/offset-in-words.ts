import { defaultDateField } from '@portico/contract/scheduler/instructions'
import { offsetChoices } from '@portico/domain/scheduler/offset-window'

/** An offset as the dialog names it: 'Last month', '12 days before'. */
export const offsetInWords = (offset: string): string =>
  new Map<string, string>(Object.entries(offsetChoices)).get(offset) ?? `${offset} days before`

/** The date that an offset applies to: 'Event date' if none is named. */
export const dateFieldInWords = (field = defaultDateField): string =>
  field === defaultDateField ? 'Event date' : field
