import { isDateType } from '@portico/domain/field-types'
import type { ChartData } from './chart-input.ts'

/** A place between the course of time and '(no value)', so that nothing joins them. */
const nothing = ''

/** The data with '(no value)' apart from the course of time. */
export function withNoValueApart(data: ChartData): ChartData {
  const { categoryKey, categoryValues: values } = data
  const at = values.length - 1
  if (categoryKey === null || !isDateType(categoryKey.type) || at < 1 || values[at] !== null) return data
  const apart = <T>(list: readonly T[], one: T): T[] => list.toSpliced(at, 0, one)
  return {
    ...data,
    categoryValues: apart(values, nothing),
    categories: apart(data.categories, nothing),
    categoryKeys: apart(data.categoryKeys, []),
    series: data.series.map((one) => ({ ...one, data: apart(one.data, null), keys: apart(one.keys, []) })),
  }
}
