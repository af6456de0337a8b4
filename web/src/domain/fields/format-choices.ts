import { type FieldFormat, mostDecimals } from '@portico/domain/field-format'

/** The styles of number formats, as forms offer them. */
export const styleLabels = {
  plain: 'Plain (1234)',
  decimal: 'With separators (1,234)',
  percent: 'Percent (0.12 is 12%)',
  currency: 'Currency ($1,234)',
} as const satisfies Record<FieldFormat['style'], string>

export const decimalChoices = [
  { value: '', label: 'As each value has' },
  ...Array.from({ length: mostDecimals + 1 }, (_, count) => ({ value: String(count), label: String(count) })),
]
