import type { Cron } from '@portico/contract/scheduler/crons'
import { type SftpServer, startSftpServer } from '../../server/test/stand-ins/sftp-server.ts'
import { expectAccessible } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { byCity, colors, makeDashboard, members } from '../dashboards.ts'
import { verifySender } from '../mailbox.ts'
import { expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, snackbar } from '../screens.ts'

let greta: Person
let api: Client
let sftp: SftpServer
let dashboard: string
let sender: string

test.use({ timezoneId: 'UTC' })

test.beforeAll(async () => {
  const account = await makeAccount('Birch Ferries')
  greta = await makePerson('Greta', { accounts: [account] })
  api = await apiOf(greta, account)
  sftp = await startSftpServer()
  await api.importFile('Members', members, { typeCasting: true })
  // A link in a message to the sender of an earlier attempt would be wrong.
  sender = `reports-${Date.now()}@example.com`
  await verifySender(api, sender)
  const listed = { standard: [{ $match: { City: { $exists: true } } }], columns: ['Name'] }
  const { _id } = await makeDashboard(api, account, 'Ferry members', [
    [
      { id: 'cities', cols: 6, chart: { type: 'Bar', title: 'Cities', filter: byCity, options: { colors } } },
      { id: 'people', cols: 6, chart: { type: 'PaginaTable', title: 'People', filter: listed } },
    ],
  ])
  dashboard = _id
})
test.afterAll(() => sftp.close())

const day = (daysAhead: number): string => new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10)

test('a report takes selected charts, and its rows, server and email are tested before saving', async ({ page }) => {
  // A unique name, even if the test is repeated.
  const name = `Ferries ${Date.now()}`
  await signIn(page, greta, undefined, `/contact-service/dashboards?dashboard=${dashboard}`)
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await page.getByRole('menuitem', { name: 'Schedule', exact: true }).click()
  const editor = dialogOf(page, 'Schedule')
  await expect(editor.getByRole('combobox', { name: 'Dashboard' })).toHaveValue('Ferry members')
  await editor.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await editor.getByRole('textbox', { name: 'Emails' }).fill('board@example.com')
  await editor.getByText('Daily', { exact: true }).click()
  await choose(page, editor.getByRole('combobox', { name: 'Hour' }), '3:00 AM')
  await choose(page, editor.getByRole('combobox', { name: 'Offset' }), 'Last month')
  await editor.getByLabel('Start Date').fill(day(1))
  await editor.getByLabel('End Date').fill(day(20))
  await editor.getByRole('textbox', { name: 'File Name' }).fill('ferries')
  await choose(page, editor.getByRole('combobox', { name: 'Delimiter' }), 'Excel workbook (.xlsx)')
  await expect(editor.getByText('Last month, by Event date')).toBeVisible()

  const charts = editor.getByRole('group', { name: 'Tables and charts' })
  await expect(charts.getByRole('checkbox', { name: 'All, also those that are added later' })).toBeChecked()
  await charts.getByRole('checkbox', { name: 'People' }).uncheck()
  await editor.getByRole('button', { name: 'Count the rows' }).click()
  // No member has an event.
  await expect(editor.getByRole('alert')).toContainText('A run now would have 0 rows from 1 table or chart.')

  await choose(page, editor.getByRole('combobox', { name: 'Protocol' }), 'sftp')
  await editor.getByRole('textbox', { name: 'Host' }).fill('127.0.0.1')
  await editor.getByRole('textbox', { name: 'Folder' }).fill('in')
  await editor.getByRole('spinbutton', { name: 'Port' }).fill(String(sftp.port))
  await editor.getByRole('textbox', { name: 'User Name' }).fill('ada')
  const connect = editor.getByRole('button', { name: 'Test the connection' })
  await connect.click()
  const password = editor.getByLabel(/^Password/)
  await expect(password).toHaveAccessibleDescription('Value is required!')
  await password.fill('right')
  await connect.click()
  const transfer = editor.getByRole('region', { name: 'File Transfer Settings' })
  await expect(transfer.getByRole('alert')).toContainText('Connected, wrote a small file and deleted it.')
  expect(sftp.files.size).toBe(0)

  await editor.getByRole('textbox', { name: 'From', exact: true }).fill(sender)
  await editor.getByRole('textbox', { name: 'Subject' }).fill('{{reportName}} is ready')
  await editor.getByRole('button', { name: 'Send a test to me' }).click()
  const email = editor.getByRole('region', { name: 'Email Notification Settings' })
  await expect(email.getByRole('alert')).toContainText('Accepted by the mail server for 1 address.')
  await expectAccessible(page)

  await editor.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, `'${name}' was scheduled.`)).toBeVisible()
  const crons = await api.get<Cron[]>('/scheduler/v1/crons?consumerCode=BI')
  expect(crons.find((cron) => cron.name === name)?.instruction).toMatchObject({
    cells: ['cities'],
    download: { delimiter: 'xlsx' },
  })
})
