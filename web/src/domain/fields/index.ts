/** Fields of contacts, and the choice of fields for an export. */
export { contactLabel } from './contact-label.ts'
export { delimiterNames, delimiterOptions, exportableNames, isEventField, useExportableNames } from './exportable.ts'
export { FieldChooser } from './field-chooser.tsx'
export { useFields } from './fields.ts'
export { useOwnEventFields } from './own-event-fields.ts'
export { decimalChoices, styleLabels } from './format-choices.ts'
export { FileColumns } from './file-columns.tsx'
