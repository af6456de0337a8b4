import { afterAll, beforeAll, expect, test } from 'vitest'
import { crons, newCron } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { dashboardOf, instructionFor, reportCron } from '#test/resources/reports.ts'

// Placeholders without a value are refused in every text of a cron.

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal({ mailSenderDomains: ['example.com'] })
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const chart = {
  type: 'PaginaTable',
  title: 'People',
  filter: { standard: [{ $match: { _id: { $exists: true } } }], columns: ['_id'], sort: { _id: 1 } },
}

test.each([
  ['subject', '{{Name}}', '{{Name}} is unknown. Use {{reportName}}, {{dueDate}} or {{url}}.'],
  ['bodyHtml', '<p>{{ link }}</p>', '{{link}} is unknown. Use {{reportName}}, {{dueDate}} or {{url}}.'],
  ['bodyText', '{{report name}}', '{{report name}} is unknown. Use {{reportName}}, {{dueDate}} or {{url}}.'],
  ['fromName', '{{reportName}}', '{{reportName}} cannot be used here.'],
])('an invalid placeholder of a report is refused in %s', async (field, text, message) => {
  const email = {
    from: 'a@example.com',
    fromName: 'Reports',
    subject: '{{reportName}}',
    bodyHtml: '{{url}}',
    bodyText: '',
  }
  const dashboard = await dashboardOf(owner, chart)
  const draft = reportCron(instructionFor(dashboard, { notification: { ...email, [field]: text } }))
  expect(await owner.post(crons, draft)).toMatchObject({
    status: 400,
    body: { error: { details: [{ field: `instruction.notification.${field}`, message }] } },
  })
  const known = reportCron(instructionFor(dashboard, { notification: { ...email, fromName: 'Reports' } }))
  const saved = await owner.post(crons, { ...known, name: `Known ${field}` })
  expect(saved.status).toBe(201)
  const { _id, cronStart } = saved.json<{ _id: string; cronStart: string }>()
  expect(await owner.put(`${crons}/${_id}`, { ...draft, cronStart, name: `Known ${field}` })).toMatchObject({
    status: 400,
  })
})

const email = {
  type: 'email',
  from: 'a@example.com',
  to: 'b@example.com',
  subject: 'An export',
  htmlBody: '{{url}}',
}
const call = { type: 'http', method: 'post', endpoint: 'https://example.com/hook', body: { link: '{{url}}' } }

test.each([
  ['htmlBody', { ...email, htmlBody: '{{link}}' }],
  ['endpoint', { ...call, endpoint: 'https://example.com/{{file}}' }],
  ['headers.x-file', { ...call, headers: { 'x-file': '{{file}}' } }],
  ['body', { ...call, body: { deep: [{ link: '{{file}}' }] } }],
])('an invalid placeholder of an export and of a cron of exports is refused in %s', async (field, notification) => {
  const message = expect.stringMatching(/ is unknown\. Use \{\{name\}\}, \{\{url\}\}/)
  const exported = {
    name: 'With a placeholder',
    delimiter: 'csv',
    exportFields: ['_id'],
    notifications: [notification],
  }
  expect(await owner.post('/contact-service/v1/exports', exported)).toMatchObject({
    status: 400,
    body: { error: { details: [{ field: `notifications.0.${field}`, message }] } },
  })
  const instruction = { name: 'Scheduled', delimiter: 'csv', exportFields: ['_id'], notifications: [notification] }
  expect(await owner.post(crons, newCron({ name: 'With a placeholder', instruction }))).toMatchObject({
    status: 400,
    body: { error: { details: [{ field: `instruction.notifications.0.${field}`, message }] } },
  })
})
