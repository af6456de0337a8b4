import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { DataTable } from './data-table.tsx'

type Row = { id: string; name: string }

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: `Row ${index}` }))

type Props = Partial<Parameters<typeof DataTable<Row>>[0]>

function table(props: Props = {}) {
  const handlers = {
    onPageChange: vi.fn<(page: number) => void>(),
    onPageSizeChange: vi.fn<(pageSize: number) => void>(),
    onSortChange: vi.fn<(sort: unknown) => void>(),
  }
  const rendered = renderApp(
    <DataTable<Row>
      label="Rows"
      columns={[{ key: 'name', title: 'Name', isSortable: true, render: ({ name }) => name }]}
      records={rows(5)}
      total={12}
      getRecordId={({ id }) => id}
      getRecordLabel={({ name }) => name}
      page={1}
      pageSize={5}
      pageSizes={[5, 10]}
      empty="No rows are available."
      {...handlers}
      {...props}
    />,
  )
  return { ...rendered, ...handlers }
}

test('a header sorts ascending, descending, then not at all, and exposes the order', async () => {
  const first = table()
  const header = screen.getByRole('columnheader', { name: 'Name' })
  expect(header).not.toHaveAttribute('aria-sort')
  await first.user.click(within(header).getByRole('button'))
  expect(first.onSortChange).toHaveBeenCalledWith({ field: 'name', direction: 'asc' })
  first.unmount()

  const second = table({ sort: { field: 'name', direction: 'asc' } })
  expect(screen.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending')
  await second.user.click(screen.getByRole('button', { name: 'Name' }))
  expect(second.onSortChange).toHaveBeenCalledWith({ field: 'name', direction: 'desc' })
  second.unmount()

  const third = table({ sort: { field: 'name', direction: 'desc' } })
  await third.user.click(screen.getByRole('button', { name: 'Name' }))
  expect(third.onSortChange).toHaveBeenCalledWith(null)
})

test('one row is open at a time, opened by its button or a click on the row', async () => {
  const { user } = table({ expansion: ({ name }) => `Details of ${name}` })
  await user.click(screen.getByRole('button', { name: 'Expand Row 1' }))
  expect(screen.getByText('Details of Row 1')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Collapse Row 1' })).toHaveAttribute('aria-expanded', 'true')
  await user.click(screen.getByText('Row 3'))
  expect(screen.queryByText('Details of Row 1')).toBeNull()
  expect(screen.getByText('Details of Row 3')).toBeVisible()
  await user.click(screen.getByText('Row 3'))
  expect(screen.queryByText('Details of Row 3')).toBeNull()
})

test('the footer shows the range and changes page and page size', async () => {
  const { user, onPageChange, onPageSizeChange } = table({ page: 2, total: 1234 })
  expect(screen.getByText('6–10 of 1,234')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Next page' }))
  expect(onPageChange).toHaveBeenCalledWith(3)
  await user.click(screen.getByRole('button', { name: 'Page 1' }))
  expect(onPageChange).toHaveBeenCalledWith(1)
  await user.selectOptions(screen.getByLabelText('Records per page'), '10')
  expect(onPageSizeChange).toHaveBeenCalledWith(10)
})

test('the footer is hidden when the smallest page shows everything', () => {
  table({ total: 5 })
  expect(screen.queryByLabelText('Records per page')).toBeNull()
})

test('a page beyond the last is corrected once the total is known', () => {
  const unknown = table({ page: 9, total: undefined })
  expect(unknown.onPageChange).not.toHaveBeenCalled()
  unknown.unmount()
  expect(table({ page: 9 }).onPageChange).toHaveBeenCalledWith(3)
})

test('loading, an empty table and a failure each show a message', () => {
  const loading = table({ records: undefined, total: undefined })
  expect(screen.getByText('Loading items. Please wait...')).toBeVisible()
  loading.unmount()
  const empty = table({ records: [], total: 0 })
  expect(screen.getByText('No rows are available.')).toBeVisible()
  empty.unmount()
  table({ failure: 'It broke.' })
  expect(screen.getByText('It broke.')).toBeVisible()
  expect(screen.queryByText('Row 1')).toBeNull()
})

test('rows are selected one by one or all on the page, and rows of other pages stay selected', async () => {
  const onChange = vi.fn<(ids: ReadonlySet<string>) => void>()
  const { user } = table({ selection: { ids: new Set(['other', '1']), onChange } })
  expect(screen.getByRole('checkbox', { name: 'Select Row 1' })).toBeChecked()
  await user.click(screen.getByRole('checkbox', { name: 'Select Row 2' }))
  expect(onChange).toHaveBeenLastCalledWith(new Set(['other', '1', '2']))
  await user.click(screen.getByRole('checkbox', { name: 'Select Row 1' }))
  expect(onChange).toHaveBeenLastCalledWith(new Set(['other']))
  const all = screen.getByRole('checkbox', { name: 'Select all rows shown' })
  expect(all).toBePartiallyChecked()
  await user.click(all)
  expect(onChange).toHaveBeenLastCalledWith(new Set(['other', '1', '2', '0', '3', '4']))
})

test('selecting a row does not open it', async () => {
  const onChange = vi.fn<(ids: ReadonlySet<string>) => void>()
  const { user } = table({ expansion: ({ name }) => `Details of ${name}`, selection: { ids: new Set(), onChange } })
  await user.click(screen.getByRole('checkbox', { name: 'Select Row 1' }))
  expect(screen.queryByText('Details of Row 1')).toBeNull()
})

test('on a phone the status follows the name, and only a narrow column stays in view', () => {
  const desktop = window.matchMedia
  window.matchMedia = (media) => Object.assign(desktop(media), { matches: media === '(max-width: 640px)' })
  const render = ({ name }: Row): string => name
  table({
    columns: [
      { key: 'name', title: 'Name', isRowHeader: true, render },
      { key: 'date', title: 'Date', render },
      { key: 'status', title: 'Status', comesEarly: true, render },
      { key: 'many', title: 'Many buttons', isPinned: true, width: 130, render },
      { key: 'one', title: 'One button', isPinned: true, width: 48, render },
    ],
  })
  window.matchMedia = desktop
  const heads = screen.getAllByRole('columnheader')
  expect(heads.map(({ textContent }) => textContent)).toEqual(['Name', 'Status', 'Date', 'Many buttons', 'One button'])
  expect(heads.map((head) => head.hasAttribute('data-pinned'))).toEqual([false, false, false, false, true])
})
