import { type ChartOptions, chartOptionMessages, regionProblem } from '@portico/contract/dashboards/chart-options'
import { worldCode } from '@portico/contract/dashboards/chart-defaults'
import { type OptionProblem, optionProblems, withoutEmpty } from '@portico/contract/dashboards/option-problems'
import { messages } from '@portico/contract/messages'
import type { ChosenKind } from '../cell-kinds.ts'
import type { OptionValues } from './option-values.ts'
import type { TypedRegion } from './region-field.tsx'

/** Options being edited. The region of a map has a kind while its code is being typed. */
export type OptionsDraft = { options: OptionValues; region: TypedRegion }

/** Whether a path leads to an option, or to a part of it. */
export const isAt = (path: readonly string[], option: readonly string[]): boolean =>
  option.every((name, at) => path[at] === name)

/** Problems of a draft for a kind of chart (specification 1 §5). */
export function checkDraft(kind: ChosenKind, { options, region }: OptionsDraft): OptionProblem[] {
  const { region: stored, ...others } = withoutEmpty(options)
  const problems = optionProblems(kind === 'Geo' || stored === undefined ? others : { ...others, region: stored })
  if (kind === 'Donut' && others['pieHole'] === undefined) {
    problems.push({ path: ['pieHole'], message: chartOptionMessages.pieHole })
  }
  const message = kind === 'Geo' ? messageOfRegion(region) : null
  return message === null ? problems : [...problems, { path: ['region'], message }]
}

function messageOfRegion({ kind, code }: TypedRegion): string | null {
  return kind === null || code === '' ? messages.required : regionProblem(kind, code)
}

/** The options of a draft without problems, as stored: the world by its code, unless a region is named. */
export function storedOptions(kind: ChosenKind, { options, region }: OptionsDraft): ChartOptions {
  const kept = withoutEmpty(options)
  if (kind !== 'Geo') return kept as ChartOptions
  if (region.kind !== 'world') return { ...kept, region: region.code } as ChartOptions
  return (kept['region'] === undefined ? kept : { ...kept, region: worldCode }) as ChartOptions
}
