import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { Menu } from '@mantine/core'
import IconFileTypeCsv from '#icons/IconFileTypeCsv'
import IconFileTypeXls from '#icons/IconFileTypeXls'
import { messageOf } from '#lib/api/api-error.ts'
import { notifyError } from '#ui/feedback/notify.ts'
import type { CellSource } from './dashboard-queries.ts'

type FileItemsProps = {
  chart: CellChart
  source: CellSource
  /** Undefined for a table that shows its rows page by page: all rows are read for the file. */
  answer: CellAnswer | undefined
}

/** Menu entries that save the rows of a cell as a file. */
export function FileItems({ chart, source, answer }: FileItemsProps) {
  const save = async (type: 'csv' | 'xlsx'): Promise<void> => {
    try {
      const { saveRows } = await import('./cell-files.ts')
      await saveRows(chart, source, answer, type)
    } catch (error) {
      notifyError(messageOf(error))
    }
  }
  return (
    <>
      <Menu.Item leftSection={<IconFileTypeCsv size={15} aria-hidden />} onClick={() => void save('csv')}>
        Save as CSV
      </Menu.Item>
      <Menu.Item leftSection={<IconFileTypeXls size={15} aria-hidden />} onClick={() => void save('xlsx')}>
        Save as Excel workbook
      </Menu.Item>
    </>
  )
}
