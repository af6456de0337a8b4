import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { NotificationBell } from './notification-bell.tsx'

test('a notification shows the number of records only where there is one', async () => {
  const job = {
    kind: 'import',
    _id: '7',
    name: 'Spring leads',
    status: 'completed',
    reason: null,
    creator: 'mara@example.com',
    at: '2026-03-01T10:00:00.000Z',
    records: 60,
  }
  const missed = { ...job, kind: 'scheduled export', _id: '8', name: 'Hourly', status: 'rejected', records: null }
  serveApi({ 'GET /contact-service/v1/activity': answer([job, missed]) })
  beSignedIn({ policies: [] })
  const { user } = renderApp(<NotificationBell className="" />)
  await user.click(screen.getByRole('button', { name: 'Notifications' }))
  expect(await screen.findByText('Import completed · 60 records')).toBeVisible()
  expect(within(screen.getByRole('link', { name: /Hourly/ })).getByText('Scheduled export rejected')).toBeVisible()
})
