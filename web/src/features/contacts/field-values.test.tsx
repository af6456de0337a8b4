import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { ContactsPage } from './contacts-page.tsx'

const born = { _id: '7', First: 'Ada', Since: '1995-02-07T10:00:00.000Z' }
const event = { event_code: 'click', event_date: '2026-01-31T10:00:00.000Z', app_code: 'web', is_trigger: true }

test('in a different time zone, a note names the time zone of the dates', async () => {
  beSignedIn({ policies: ['contact-offers-list'], timeZone: 'Pacific/Kiritimati' })
  serveApi({
    'GET /contact-service/v1/fields': answer([
      { name: 'First', type: 'string', isIndexed: false },
      { name: 'Since', type: 'date', isIndexed: false },
    ]),
    'GET /contact-service/v1/offers': answer({ rows: [born], count: 1 }),
    'GET /contact-service/v1/offers/7': answer({ ...born, events: [event] }),
  })
  const note = 'Dates are in the time zone Pacific/Kiritimati.'
  const { user } = renderApp(<ContactsPage />)
  expect(await screen.findByText('1 contact')).toBeVisible()
  expect(screen.getByText(note, { exact: false })).toBeVisible()
  await user.click(await screen.findByRole('button', { name: /^Expand/ }))
  expect(await screen.findByText('# of Fields', { exact: false })).toHaveTextContent(`# of Fields 3 · ${note}`)
  await user.click(screen.getByRole('button', { name: 'Events (1)' }))
  expect(within(await screen.findByRole('dialog')).getByText(note, { exact: false })).toBeVisible()
})

test('a day has no time and no time zone, so there is no note', async () => {
  beSignedIn({ policies: ['contact-offers-list'], timeZone: 'Pacific/Kiritimati' })
  const contact = { _id: '7', First: 'Ada', Born: '1995-02-07' }
  serveApi({
    'GET /contact-service/v1/fields': answer([
      { name: 'First', type: 'string', isIndexed: false },
      { name: 'Born', type: 'day', isIndexed: false },
    ]),
    'GET /contact-service/v1/offers': answer({ rows: [contact], count: 1 }),
    'GET /contact-service/v1/offers/7': answer(contact),
  })
  const { user } = renderApp(<ContactsPage />)
  expect(await screen.findByRole('cell', { name: '2/7/1995' })).toBeVisible()
  await user.click(await screen.findByRole('button', { name: /^Expand/ }))
  expect(await screen.findByText('# of Fields', { exact: false })).toHaveTextContent(/^# of Fields 3$/)
  expect(screen.queryByText(/^Dates are/)).toBeNull()
})
