import type { DownloadEntry } from '@portico/contract/downloads'
import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { DownloadsPage } from './downloads-page.tsx'

const downloads = 'GET /contact-service/v1/downloads'
const storage = 'GET /contact-service/v1/storage'
const list =
  (items: unknown[], count = items.length) =>
  (sent: Sent) =>
    answer('count' in sent.query ? { count } : items)

const aFile = (part: Partial<DownloadEntry> = {}): DownloadEntry => ({
  _id: 'export-1',
  kind: 'export',
  name: 'Loyal members',
  fileName: 'Loyal members.csv',
  size: 1_234_567,
  rows: 20_400,
  creator: 'mara.klein@example.com',
  createdAt: '2026-01-31T10:00:00.000Z',
  expiresAt: '2026-03-02T10:00:00.000Z',
  isExpired: false,
  ...part,
})

const aReport = aFile({
  _id: 'import-7',
  kind: 'set-aside report',
  name: 'Spring leads',
  fileName: 'Spring leads - set aside.csv',
  size: 512,
  rows: 3,
})

beforeEach(() => {
  beSignedIn({ policies: ['contact-downloads-list'] })
})

test('shows exports and rows set aside, with size, rows, creator and dates', async () => {
  serveApi({ [downloads]: list([aFile(), aReport]) })
  renderApp(<DownloadsPage />)
  const row = (await screen.findByRole('rowheader', { name: 'Loyal members' })).closest('tr')
  const cells = within(row ?? document.body).getAllByRole('cell')
  expect(cells.slice(0, 4).map(({ textContent }) => textContent)).toEqual([
    'Export',
    '1.2 MB',
    '20,400',
    'mara.klein@example.com',
  ])
  expect(cells[4]).toHaveTextContent(/^1\/31\/2026 \d+:00:00 [AP]M$/)
  expect(cells[5]).toHaveTextContent(/^3\/2\/2026 \d+:00:00 [AP]M$/)
  expect(screen.getByRole('row', { name: /^Spring leads Rows set aside 512 B 3 / })).toBeVisible()
  expect(screen.getByText('2 files, each kept for 30 days')).toBeVisible()
  expect(screen.queryByLabelText('Records per page')).toBeNull()
  const titles = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(titles).toEqual(['Name', 'Kind', 'Size', 'Rows', 'Created By', 'Created', 'Expires', 'Actions'])
})

test('the server searches, sorts and pages, and the address keeps the state', async () => {
  const sent = serveApi({ [downloads]: list([aFile()], 30) })
  const { user, address } = renderApp(<DownloadsPage />, '/downloads?page=2&size=10&sort=nonsense')
  await user.click(await screen.findByRole('button', { name: 'Size' }))
  await user.click(screen.getByRole('button', { name: 'Page 2' }))
  await user.type(screen.getByRole('textbox', { name: /^Search downloads/ }), ' mara {Enter}')
  expect(await screen.findByText('30 files found')).toBeVisible()
  expect(address()).toBe('/downloads?size=10&sort=size&search=mara')
  const asked = sent.filter(({ call }) => call === downloads).map(({ query }) => query)
  expect(asked).toContainEqual({ limit: '10', skip: '10' })
  expect(asked).toContainEqual({ limit: '10', skip: '10', sort: '{"size":1}' })
  expect(asked).toContainEqual({ limit: '10', skip: '0', sort: '{"size":1}', search: 'mara' })
  expect(asked).toContainEqual({ count: '', search: 'mara' })
})

test('a removed file shows a note and cannot be downloaded', async () => {
  const sent = serveApi({ [downloads]: list([aFile({ isExpired: true })]) })
  const { user } = renderApp(<DownloadsPage />)
  expect(await screen.findByText(/^Removed 3\/2\/2026 /)).toBeVisible()
  const button = screen.getByRole('button', { name: 'Download Loyal members.csv' })
  expect(button).toHaveAttribute('aria-disabled', 'true')
  await user.click(button)
  expect(await screen.findByText('The file was removed after 30 days.')).toBeVisible()
  expect(sent.some(({ call }) => call.includes('/files/'))).toBe(false)
})

test('a file that was removed meanwhile is reported, and the list is reloaded', async () => {
  let isGone = false
  serveApi({
    [downloads]: (request) => list([aFile({ isExpired: isGone })])(request),
    'GET /contact-service/v1/downloads/files/export-1': () => {
      isGone = true
      return refusal(404, 'not_found', 'The file was removed after 30 days.')
    },
  })
  const { user } = renderApp(<DownloadsPage />)
  await user.click(await screen.findByRole('button', { name: 'Download Loyal members.csv' }))
  const notifications = await screen.findByRole('region', { name: 'Notifications' })
  expect(await within(notifications).findByText('The file was removed after 30 days.')).toBeVisible()
  expect(await screen.findByText(/^Removed /)).toBeVisible()
})

test('the disk usage is shown to power users and power admins only', async () => {
  const use = { uploads: 3_000_000, exports: 1_500_000, reports: 500, total: 4_500_500, quota: null as number | null }
  const sent = serveApi({ [downloads]: list([aFile()]), [storage]: answer(use) })
  const { unmount } = renderApp(<DownloadsPage />)
  await screen.findByRole('rowheader', { name: 'Loyal members' })
  expect(sent.some(({ call }) => call === storage)).toBe(false)
  unmount()
  for (const flags of [{ isPowerUser: true }, { isPowerAdmin: true }]) {
    beSignedIn({ ...flags, policies: ['contact-downloads-list'] })
    const rendered = renderApp(<DownloadsPage />)
    const part = await screen.findByRole('region', { name: 'Disk use' })
    expect(part).toHaveTextContent('Disk use4.5 MBExports1.5 MBRows set aside500 BUploads3 MB')
    rendered.unmount()
  }
  use.quota = 20_000_000_000
  renderApp(<DownloadsPage />)
  expect(await screen.findByRole('region', { name: 'Disk use' })).toHaveTextContent('Disk use4.5 MB of 20 GBExports')
})

test('an empty list, a search without a match and a failure have different messages', async () => {
  let isBroken = true
  serveApi({ [downloads]: (sent) => (isBroken ? refusal(500, 'unexpected', 'Something broke.') : list([])(sent)) })
  const { user } = renderApp(<DownloadsPage />, '/downloads?search=nothing')
  expect(await screen.findByText('Something broke.')).toBeVisible()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('No matching files found.')).toBeVisible()
  await user.click(screen.getAllByRole('button', { name: 'Clear the search' }).at(-1) ?? document.body)
  expect(await screen.findByText('No files are available.')).toBeVisible()
})

test('without the right to list files the missing feature is named', () => {
  beSignedIn({ policies: ['contact-export-list'] })
  const sent = serveApi({})
  renderApp(<DownloadsPage />)
  expect(screen.getByText('contact-downloads-list')).toBeVisible()
  expect(sent.some(({ call }) => call === downloads)).toBe(false)
})
