/** The date that pickers narrow by default. */
export const defaultDateField = 'events.event_date'

/** The name of a date field, as people read it. */
export const dateFieldInWords = (field = defaultDateField): string =>
  field === defaultDateField ? 'Event date' : field
