import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { ImportsPage } from './imports-page.tsx'

const imports = 'GET /contact-service/v1/imports'
const list =
  (items: unknown[], count = items.length) =>
  (sent: Sent) =>
    answer('count' in sent.query ? { count } : items)

beforeEach(() => {
  vi.useRealTimers()
  beSignedIn({ policies: ['contact-import-list', 'contact-imports-create'] })
})

test('shows the imports with all columns', async () => {
  serveApi({ [imports]: list([anImport()]) })
  renderApp(<ImportsPage />)
  expect(await screen.findByRole('rowheader', { name: 'Spring leads' })).toBeVisible()
  const titles = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(titles.slice(1, -1)).toEqual([
    'Name',
    'Creation',
    'Status',
    'Processed Records',
    'Start',
    'Last Activity',
    'PURL Status',
    'PURL Processed Records',
    'PURL Last Activity',
  ])
  expect(screen.queryByLabelText('Records per page')).toBeNull()
  expect(await screen.findByRole('button', { name: /^in \d+ sec$/ })).toBeDisabled()
})

test('an empty account has no REFRESH', async () => {
  serveApi({ [imports]: list([]) })
  renderApp(<ImportsPage />)
  expect(await screen.findByText('No imports are available.')).toBeVisible()
  expect(screen.queryByRole('button', { name: /REFRESH|sec/ })).toBeNull()
})

test('NEW IMPORT needs the right to create imports', async () => {
  beSignedIn({ policies: ['contact-import-list'] })
  serveApi({ [imports]: list([]) })
  renderApp(<ImportsPage />)
  await screen.findByText('No imports are available.')
  expect(screen.queryByRole('button', { name: 'NEW IMPORT' })).toBeNull()
})

test('filters by name and status are applied by the server, count again and return to the first page', async () => {
  const sent = serveApi({ [imports]: list([anImport()], 30) })
  const { user, address } = renderApp(<ImportsPage />, '/contact-service/imports?page=3')
  await user.type(await screen.findByRole('textbox', { name: 'Name contains' }), 'spring{Enter}')
  await user.click(screen.getByRole('combobox', { name: 'Status' }))
  await user.click(await screen.findByRole('option', { name: 'completed', hidden: true }))
  expect(address()).toBe('/contact-service/imports?name=spring&status=completed')
  await screen.findByText('30 imports found')
  const find = '[{"$match":{"status":"completed","name":{"$regex":"spring","$options":"i"}}}]'
  expect(sent.filter(({ query }) => query['find'] === find).map(({ query }) => query['skip'] ?? 'count')).toEqual(
    expect.arrayContaining(['0', 'count']),
  )
})

test('FILTERS opens conditions on the columns, which are kept in the address', async () => {
  const sent = serveApi({ [imports]: list([anImport()], 30) })
  const { user, address } = renderApp(<ImportsPage />, '/contact-service/imports?page=3')
  const toggle = await screen.findByRole('button', { name: 'FILTERS' })
  expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await user.click(toggle)
  const filters = screen.getByRole('region', { name: 'Filters' })
  const tabs = await within(filters).findAllByRole('tab')
  expect(tabs.map(({ textContent }) => textContent)).toEqual(['Standard'])
  await user.click(within(filters).getByRole('button', { name: 'Add condition' }))
  await user.click(within(filters).getByRole('combobox', { name: 'Field of condition 1' }))
  await user.click(await screen.findByRole('option', { name: 'Processed Records', hidden: true }))
  await user.type(within(filters).getByLabelText('Value of condition 1'), '1000')
  expect(within(filters).getByText('Imports whose Processed Records is 1000.')).toBeVisible()
  await user.click(within(filters).getByRole('button', { name: 'Apply' }))
  const find = '[{"$match":{"$and":[{"processedRecords":1000}]}}]'
  await waitFor(() => expect(new URL(address(), 'http://portal').searchParams.get('filter')).toBe(find))
  expect(new URL(address(), 'http://portal').searchParams.has('page')).toBe(false)
  await screen.findByText('30 imports found')
  expect(sent.filter(({ query }) => query['find'] === find).map(({ query }) => query['skip'] ?? 'count')).toEqual(
    expect.arrayContaining(['0', 'count']),
  )
  expect(screen.getByRole('button', { name: 'FILTERS (1)' })).toBeVisible()
  // No contacts are requested.
  expect(sent.some(({ call }) => call.includes('/offers'))).toBe(false)
})

const looks = {
  waiting: ['gray', 'clock'],
  processing: ['blue', 'hourglass'],
  completed: ['green', 'check'],
  recovery: ['orange', 'restore'],
  rejected: ['red', 'x'],
} as const

test.each(Object.entries(looks))('the status %s has its color and icon', async (status, [color, icon]) => {
  // One of the statuses above.
  serveApi({ [imports]: list([anImport({ status: status as keyof typeof looks, purlStatus: null })]) })
  renderApp(<ImportsPage />)
  const row = within(await screen.findByRole('row', { name: /Spring leads/ }))
  const badge = row.getByText(status).closest<HTMLElement>('.mantine-Badge-root')
  expect(badge?.style.getPropertyValue('--badge-bg')).toContain(`-${color}-`)
  expect(badge?.querySelector('svg')).toHaveClass(`tabler-icon-${icon}`)
})

test('a row opens its details and the rows set aside', async () => {
  serveApi({
    [imports]: list([anImport({ setAsideRecords: 13, setAsideCells: 2000, header: ['First', 'Email'] })]),
    'GET /contact-service/v1/imports/1/set-aside': refusal(409, 'not_ready', 'No rows were set aside.'),
  })
  const { user } = renderApp(<ImportsPage />)
  const badge = (await screen.findByText('13 rows and 2,000 cells set aside')).closest<HTMLElement>(
    '.mantine-Badge-root',
  )
  expect(badge?.style.getPropertyValue('--badge-bg')).toContain('-orange-')
  await user.click(await screen.findByRole('button', { name: 'Expand Spring leads' }))
  const shown = [
    ['Created', '1,500'],
    ['Updated', '400'],
    ['Unchanged', '100'],
    ['Rows Set Aside', '13'],
    ['Cells Set Aside', '2,000'],
    ['Cells That Do Not Fit', 'Leave these cells out'],
    ['Same PURL for Same Contact', 'No'],
    ['PURL Generation Scope', 'Account Level'],
    ['Header (2)', 'FirstEmail'],
  ]
  for (const [term, value] of shown) {
    expect(screen.getByText(term ?? '').closest('dt')?.parentElement).toHaveTextContent(`${term}${value}`)
  }
  const updated = screen.getByRole('button', { name: 'Updated' })
  await user.tab()
  while (document.activeElement !== updated) await user.tab()
  expect(await screen.findByRole('tooltip')).toHaveTextContent(
    'Rows that changed a contact, one from before this import or one from an earlier row of the same file.',
  )
  await user.click(screen.getByRole('button', { name: 'Download report' }))
  expect(await screen.findByText('No rows were set aside.')).toBeVisible()
})

test('updates a running import automatically until it ends', async () => {
  let asked = 0
  const sent = serveApi({
    [imports]: (request) => {
      if ('count' in request.query) return answer({ count: 1 })
      asked += 1
      const loading = { status: 'processing', phase: 'loading', phaseProgress: 0.5, processedRecords: 1000 } as const
      return answer([anImport(asked === 1 ? loading : {})])
    },
  })
  renderApp(<ImportsPage />)
  expect(await screen.findByText('Loading · 50%')).toBeVisible()
  expect(screen.getByRole('progressbar', { name: 'Progress of Spring leads' })).toHaveAttribute('aria-valuenow', '50')
  const polls = (): number => sent.filter(({ call, query }) => call === imports && !('count' in query)).length
  await waitFor(() => expect(polls()).toBe(2), { timeout: 4000 })
  expect(screen.queryByRole('progressbar')).toBeNull()
  // This is about time: longer than the polling interval.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  expect(polls()).toBe(2)
})

test('cancelling asks first and confirms the result', async () => {
  const sent = serveApi({
    [imports]: list([anImport({ status: 'waiting' })]),
    'PUT /contact-service/v1/imports/1': answer(anImport({ status: 'rejected' })),
  })
  const { user } = renderApp(<ImportsPage />)
  await user.click(await screen.findByRole('button', { name: 'Actions for Spring leads' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Cancel import' }))
  const dialog = await screen.findByRole('dialog')
  expect(dialog).toHaveTextContent("Are you sure you want to cancel 'Spring leads'?")
  await user.click(within(dialog).getByRole('button', { name: 'Yes, cancel it' }))
  expect(await screen.findByText("'Spring leads' import was cancelled.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('PUT'))?.body).toEqual({ cancel: true })
})

test('shows why the list could not be loaded, and retries', async () => {
  let isBroken = true
  serveApi({
    [imports]: (sent) => (isBroken ? refusal(500, 'unexpected', 'Something broke.') : list([anImport()])(sent)),
  })
  const { user } = renderApp(<ImportsPage />)
  expect(await screen.findByText('Something broke.')).toBeVisible()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('rowheader', { name: 'Spring leads' })).toBeVisible()
})

test('the address of a single import, as in emails, shows only that import, opened', async () => {
  const sent = serveApi({ [imports]: list([anImport({ _id: '12', setAsideCells: 1 })]) })
  const { user } = renderApp(<ImportsPage />, '/?import=12')
  expect(await screen.findByRole('button', { name: 'Download report' })).toBeVisible()
  expect(screen.getByText('1 cell set aside')).toBeVisible()
  expect(sent.find(({ query }) => 'find' in query)?.query['find']).toBe('[{"$match":{"_id":"12"}}]')
  await user.click(screen.getByRole('button', { name: 'Collapse Spring leads' }))
  expect(screen.queryByRole('button', { name: 'Download report' })).toBeNull()
})
