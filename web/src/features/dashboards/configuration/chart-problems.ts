import { CellChart } from '@portico/contract/dashboards/cell-chart'
import { chartProblems } from '@portico/contract/dashboards/cell-problems'
import { checkInput } from '@portico/contract/check-input'

export type Problems = { key: string; message: string }[]

/** Problems of a cell's content, as the server would name them. */
export function problemsOf(chart: CellChart): Problems {
  const read = checkInput(CellChart, chart)
  if (!read.success) return read.error.issues.map(({ path, message }) => ({ key: path.join('.'), message }))
  return chartProblems(read.data)
}
