import { parseJson } from '../json-values.ts'
import { z } from 'zod'
import { Stages } from '../filter.ts'
import { messages } from '../messages.ts'
import { FieldFormat } from '../contacts.ts'
import { CalculatedColumn, mostCalculatedColumns } from './calculated-column.ts'
import { cellIcons } from './cell-icons.ts'
import { cellKinds } from './cell-kinds.ts'
import { ChartOptions, Colour } from './chart-options.ts'
import { dashboardLimits } from './dashboard-limits.ts'
import { allTime, dayPresets, rangePresets } from '@portico/domain/days'

/** Messages of the chart configuration (specification 4 §5). */
export const chartMessages = {
  required: messages.required,
  invalid: messages.invalid,
  groupBy: 'Filter should have GroupBy!',
  columns: 'should have some columns!',
  calculatedColumns: 'Calculated Columns cannot be empty!',
  kpiTemplate: 'Invalid template name',
} as const

/** The contacts, groups or events that a cell shows. */
export const CellFilter = z.strictObject({
  standard: Stages.default([]),
  columns: z.array(z.string().max(200)).max(1000).optional(),
  sort: z.record(z.string(), z.union([z.literal(1), z.literal(-1)])).optional(),
  /** Id of a saved filter, whose stages come first. */
  predefined: z.string().max(100).optional(),
})
export type CellFilter = z.output<typeof CellFilter>

/** Accepts an object, or its JSON text. JSON text of a text is refused (specification 4 §5). */
const orText = <T extends z.ZodType>(schema: T) =>
  z
    .unknown()
    .transform((value, context) => {
      if (typeof value !== 'string') return value
      try {
        if (!value.trimStart().startsWith('"')) return parseJson(value)
      } catch {
        // Refused below, as a text that is not an object.
      }
      context.addIssue({ code: 'custom', message: chartMessages.invalid })
      return z.NEVER
    })
    .pipe(schema)

const days = z.number().int().min(0).max(365)

/** A text around numbers. Braces have a meaning where charts draw texts. */
const Around = z
  .string()
  .max(20, 'Use at most 20 characters.')
  .regex(/^[^{}]*$/, 'Leave out braces.')

/** How a cell writes the numbers of a column. */
export const ColumnFormat = FieldFormat.extend({
  prefix: Around.optional(),
  suffix: Around.optional(),
  /** Abbreviates numbers: 1.2K. */
  isShort: z.boolean().optional(),
})
export type ColumnFormat = z.output<typeof ColumnFormat>

const Label = z
  .string()
  .max(60, 'Use at most 60 characters.')
  .regex(/^[^{}]*$/, 'Leave out braces.')

const points = 'Enter a whole number from 2 to 90.'

/** How a chart shows a value over time: added up from the first period on, or as the mean of the last periods. */
const Running = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cumulative') }),
  z.strictObject({ kind: z.literal('average'), points: z.number().int(points).min(2, points).max(90, points) }),
])

/** How a chart shows its groups, besides the options that Google's charts have. */
export const ChartDisplay = z.strictObject({
  /** A line at a value of the first axis of values. */
  goal: z.strictObject({ value: z.number(), label: Label.optional() }).optional(),
  /** The area between two of its values. */
  band: z
    .strictObject({ from: z.number(), to: z.number(), label: Label.optional() })
    .refine(({ from, to }) => from < to, { path: ['to'], message: 'Enter a larger number.' })
    .optional(),
  /** The largest groups of the first key by their first value. `hasOther`: the others are summed as one. */
  top: z.strictObject({ groups: z.number().int().min(1).max(100), hasOther: z.boolean() }).optional(),
  /** Of the groups, instead of that of the filter: the largest value or the first label first. */
  order: z.enum(['value', 'label']).optional(),
  /** By the names of values. */
  running: z.record(z.string().min(1).max(210), Running).optional(),
})
export type ChartDisplay = z.output<typeof ChartDisplay>

/** Portico's own settings, in addition to the keys that older clients know. */
const PorticoOptions = z.strictObject({
  /** The date that a date picker or KPI tile filters: `events.event_date`, or a date field of contacts. */
  dateField: z.string().min(1).max(210).optional(),
  /** Clicks on other cells do not narrow this one. */
  ignoresClicks: z.boolean().optional(),
  /** Markdown of a text cell. */
  text: z.string().max(dashboardLimits.text, `Use at most ${dashboardLimits.text} characters.`).optional(),
  /** A date picker also offers 'All time', with which it narrows nothing. */
  allTime: z.boolean().optional(),
  /** Formats of columns, by their names: of values, calculated columns and number fields; `count` of a plain tile. */
  formats: z.record(z.string().min(1).max(210), ColumnFormat).optional(),
  /** The ids of the cells that a date picker narrows; all that it can, by default. */
  narrows: z.array(z.string().min(1).max(50)).max(dashboardLimits.cells).optional(),
  display: ChartDisplay.optional(),
})

const presets = [...Object.keys(rangePresets), ...Object.keys(dayPresets), allTime]

/** A cell's content (specification 4 §3, "Chart config"). */
export const CellChart = z.strictObject({
  type: z.enum(cellKinds),
  title: z.string().max(200).default(''),
  icon: z.enum(cellIcons).optional(),
  filter: orText(CellFilter).optional(),
  /** The divisor of a ratio tile. */
  filter2: orText(CellFilter).optional(),
  options: orText(ChartOptions).default({}),
  gaugeMaxValue: z.number().min(0).max(100).default(100),
  /** Bands of equal width from 0 to the maximum. */
  gaugeColors: z.array(Colour).max(20).optional(),
  /** Abbreviates numbers: K above 1,000, M above 1,000,000. */
  formatNumbers: z.boolean().default(true),
  /** For a dropdown: several values can be included or excluded. */
  multipleSelect: z.boolean().optional(),
  datePickerType: z.enum(['month', 'day']).optional(),
  /** The preset that is selected initially; `ALL` only where `portico.allTime` offers it. */
  defaultId: z
    .union([z.string(), z.number()])
    .transform(String)
    .refine((value) => presets.includes(value), chartMessages.invalid)
    .optional(),
  /** Maximum days of a range. */
  maxRange: z
    .union([
      days,
      z
        .string()
        .regex(/^\d{1,3}$/)
        .transform(Number)
        .pipe(days),
    ])
    .optional(),
  calculatedColumns: z.array(CalculatedColumn).max(mostCalculatedColumns).optional(),
  portico: PorticoOptions.optional(),
})
export type CellChart = z.output<typeof CellChart>
