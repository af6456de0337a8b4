import { chartEnums, leastSlice } from '@portico/contract/dashboards/chart-options'
import type { ChosenKind } from '../cell-kinds.ts'

type Value = boolean | number | string

type Control =
  /** A number, at least `least`. */
  | { kind: 'number'; least: number; most?: number; step?: number }
  /** Pixels, or a share of the chart. */
  | { kind: 'extent' }
  | { kind: 'text'; most: number }
  | { kind: 'colour' }
  | { kind: 'choice'; values: readonly Value[] }
  /** Any text, or one of these. */
  | { kind: 'suggested'; values: readonly string[] }

/** `path` leads to the option; `usual` applies if it is empty. */
type Field<C> = { path: readonly string[]; label: string; hint?: string; usual?: Value; control: C }

/** A field with one value. */
export type PlainField = Field<Control>
/** Numbered entries, each with fields of its own. */
export type NumberedField = Field<{
  kind: 'numbered'
  noun: 'axis' | 'series'
  most: number
  fields: readonly PlainField[]
}>
/** A field of the editor. */
export type OptionField = Field<{ kind: 'region' }> | NumberedField | PlainField

type TabName = 'area' | 'general' | 'hAxis' | 'legend' | 'pie' | 'vAxis'
export type OptionTab = { name: TabName; label: string; note?: string; fields: readonly OptionField[] }

type Details = Pick<PlainField, 'hint' | 'usual'>

const field =
  <C>(control: C) =>
  (path: string, label: string, details: Details = {}): Field<C> => ({
    path: path.split('.'),
    label,
    control,
    ...details,
  })
const number = field<Control>({ kind: 'number', least: 0 })
const extent = field<Control>({ kind: 'extent' })
const colour = field<Control>({ kind: 'colour' })
const text = field<Control>({ kind: 'text', most: 500 })
const yesOrNo = field<Control>({ kind: 'choice', values: [true, false] })
const choice = (values: readonly Value[]) => field<Control>({ kind: 'choice', values })

/** Stored as true and false, because Google's options use these for the first two, not their names. */
const stacking = [false, true, ...chartEnums.isStacked.slice(2)]

const axesFields = [
  choice(chartEnums.textPosition)('axisTitlePosition', 'Position of axis titles', { usual: 'out' }),
  choice(chartEnums.orientation)('orientation', 'Orientation', { hint: 'Direction of the categories.' }),
]

const lineFields = [
  number('lineWidth', 'Line width', { hint: 'In pixels.', usual: 2 }),
  number('pointSize', 'Point size', { hint: 'In pixels.', usual: 0 }),
  choice(chartEnums.pointShape)('pointShape', 'Point shape', { usual: 'circle' }),
]
const curve = choice(chartEnums.curveType)('curveType', 'Curve type', {
  hint: 'function smooths the lines.',
  usual: 'none',
})
const pointsVisible = yesOrNo('pointsVisible', 'Points visible', { hint: 'Without it, points have to have a size.' })
const isStacked = choice(stacking)('isStacked', 'Stacked', { usual: false })
const bars = choice(chartEnums.bars)('bars', 'Bars')

/** An option of series; a series without its own has the chart's. */
const ofSeries = ({ path, label, control, hint }: PlainField): PlainField => ({
  path,
  label,
  control,
  ...(hint !== undefined && { hint }),
})

const seriesFields = (kind: ChosenKind): PlainField[] => [
  ...(kind === 'Combo' ? [choice(chartEnums.seriesType)('type', 'Type')] : []),
  colour('color', 'Colour'),
  ...(kind === 'Bar' || kind === 'Column' ? [] : [...lineFields, curve].map(ofSeries)),
  choice([0, 1])('targetAxisIndex', 'Axis of values', { hint: '0 is the first axis, 1 the second.', usual: 0 }),
]

const combined = choice(chartEnums.seriesType)('seriesType', 'Type of series', { usual: 'bars' })

/** The options that only some kinds of charts with axes have. */
const ofKind: Partial<Record<ChosenKind, OptionField[]>> = {
  Area: [isStacked, ...lineFields, pointsVisible, curve],
  Bar: [isStacked, bars],
  Column: [isStacked, bars],
  Combo: [combined, isStacked, bars, ...lineFields, pointsVisible, curve],
  Line: [...lineFields, pointsVisible, curve],
}

const generalFields = (kind: ChosenKind): OptionField[] => [
  number('height', 'Height', { hint: 'In pixels.', usual: 250 }),
  colour('backgroundColor', 'Background colour'),
  field<Control>({ kind: 'text', most: 100 })('fontName', 'Font name', { hint: 'A font of the reader’s device.' }),
  number('fontSize', 'Font size', { hint: 'In pixels.', usual: 12 }),
  choice(['maximized'])('theme', 'Theme', { hint: 'maximized fills the whole cell.' }),
  ...(hasAxes(kind)
    ? [
        ...axesFields,
        ...(ofKind[kind] ?? []),
        field<NumberedField['control']>({ kind: 'numbered', noun: 'series', most: 100, fields: seriesFields(kind) })(
          'series',
          'Series',
          {
            hint: 'Options of one series, in the order in which they are drawn.',
          },
        ),
      ]
    : []),
]

const extentHint = 'In pixels, or a share such as 80%.'
const areaFields: PlainField[] = [
  extent('chartArea.left', 'Left', { hint: extentHint }),
  extent('chartArea.top', 'Top', { hint: extentHint }),
  extent('chartArea.right', 'Right', { hint: extentHint }),
  extent('chartArea.bottom', 'Bottom', { hint: extentHint }),
  extent('chartArea.width', 'Width', { hint: 'Counts more than Right.' }),
  extent('chartArea.height', 'Height', { hint: 'Counts more than Bottom.' }),
  colour('chartArea.backgroundColor', 'Background colour of the area'),
]

/** Next to other fields, the label needs the subject. */
const ofArea = (one: PlainField): PlainField =>
  one.control.kind === 'extent' ? { ...one, label: `Chart area: ${one.label.toLowerCase()}` } : one

const geoFields: OptionField[] = [
  field({ kind: 'region' as const })('region', 'Region'),
  choice(chartEnums.displayMode)('displayMode', 'Display mode', { usual: 'auto' }),
  choice(chartEnums.resolution)('resolution', 'Resolution', { usual: 'countries' }),
  colour('datalessRegionColor', 'Colour of regions without data'),
  colour('defaultColor', 'Default colour', { hint: 'Of regions and markers without a number.' }),
  yesOrNo('keepAscpectRatio', 'Keep aspect ratio', { usual: true }),
  choice(chartEnums.geochartVersion)('geochartVersion', 'Geo chart version', { hint: 'Kept for Google Charts.' }),
  choice(chartEnums.regioncoderVersion)('regioncoderVersion', 'Region coder version', {
    hint: 'Kept for Google Charts.',
  }),
]

const pieFields = (kind: ChosenKind): OptionField[] => [
  ...(kind === 'Donut'
    ? [
        field<Control>({ kind: 'number', least: 0.1, most: 0.9, step: 0.1 })('pieHole', 'Pie hole', {
          hint: 'Share of the radius, between 0 and 1.',
        }),
      ]
    : []),
  yesOrNo('is3D', '3D', { hint: 'Kept for Google Charts; charts are drawn flat.', usual: false }),
  choice(chartEnums.pieSliceText)('pieSliceText', 'Text of slices', { usual: 'percentage' }),
  number('pieStartAngle', 'Start angle', { hint: 'In degrees, clockwise from the top.', usual: 0 }),
  field<Control>({ kind: 'number', least: leastSlice, most: 1, step: 0.01 })(
    'sliceVisibilityThreshold',
    'Slice visibility threshold',
    { hint: 'Slices of a smaller share of the whole are summed.', usual: leastSlice },
  ),
  yesOrNo('reverseCategories', 'Reverse categories', { usual: false }),
  colour('pieResidueSliceColor', 'Colour of the summed slice'),
  text('pieResidueSliceLabel', 'Label of the summed slice', { usual: 'Other' }),
  colour('pieSliceBorderColor', 'Border colour of slices'),
]

const axisFields: PlainField[] = [
  text('title', 'Title'),
  field<Control>({ kind: 'suggested', values: chartEnums.axisFormat })('format', 'Format', {
    hint: 'A name of the list, or a pattern such as #,##0.00.',
  }),
  choice(chartEnums.textPosition)('textPosition', 'Text position', { usual: 'out' }),
  colour('gridlines.color', 'Gridlines colour'),
  field<Control>({ kind: 'number', least: 1 })('gridlines.count', 'Gridlines count'),
  number('gridlines.minSpacing', 'Gridlines min spacing', { hint: 'In pixels.' }),
]

const within = (name: string, fields: readonly PlainField[]): PlainField[] =>
  fields.map((one) => ({ ...one, path: [name, ...one.path] }))

const axisTab = (name: 'hAxis' | 'vAxis', listName: 'hAxes' | 'vAxes'): OptionField[] => [
  ...within(name, axisFields),
  field<NumberedField['control']>({ kind: 'numbered', noun: 'axis', most: 2, fields: axisFields })(
    listName,
    'Single axes',
    {
      hint: 'Options of one axis, where series have two of them.',
    },
  ),
]

const legendFields = (kind: ChosenKind): OptionField[] => [
  choice(chartEnums.legendPosition)('legend.position', 'Position', { usual: 'top' }),
  choice(chartEnums.alignment)('legend.alignment', 'Alignment'),
  ...(kind === 'Geo'
    ? [
        field<Control>({ kind: 'suggested', values: chartEnums.axisFormat.filter((name) => name !== 'date') })(
          'legend.numberFormat',
          'Number format',
          { hint: 'A name of the list, or a pattern such as #,##0.00.', usual: 'short' },
        ),
      ]
    : []),
]

const hasAxes = (kind: ChosenKind): boolean => ofKind[kind] !== undefined

/**
 * The tabs for a kind of chart (specification 1 §2): maps have Geo instead of Chart Area, pies and donuts a tab of
 * their own, and neither has V-Axis.
 */
export function optionTabs(kind: ChosenKind): OptionTab[] {
  const isPie = kind === 'Pie' || kind === 'Donut'
  const general: OptionTab = { name: 'general', label: 'General', fields: generalFields(kind) }
  const area: OptionTab =
    kind === 'Geo'
      ? { name: 'area', label: 'Geo', fields: [...geoFields, ...areaFields.map(ofArea)] }
      : { name: 'area', label: 'Chart Area', fields: areaFields }
  const pie: OptionTab[] = isPie ? [{ name: 'pie', label: kind, fields: pieFields(kind) }] : []
  const legend: OptionTab = { name: 'legend', label: 'Legend', fields: legendFields(kind) }
  const hAxis: OptionTab = { name: 'hAxis', label: 'H-Axis', fields: axisTab('hAxis', 'hAxes') }
  if (hasAxes(kind)) {
    return [general, area, hAxis, { name: 'vAxis', label: 'V-Axis', fields: axisTab('vAxis', 'vAxes') }, legend]
  }
  const note = `${isPie ? 'Pies' : 'Maps'} have no axes. These options count once the chart is of a type that has them.`
  return [general, area, ...pie, { ...hAxis, note, fields: [...hAxis.fields, ...axesFields] }, legend]
}
