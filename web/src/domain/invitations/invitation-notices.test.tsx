import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { queryClient } from '#lib/api/query-client.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { InvitationNotices } from './invitation-notices.tsx'

const path = '/identity/v1/profile/invitations'
const harbor = { _id: 'i1', account: { Key: 2, Value: 'Harbor' }, invitedBy: 'chief@example.com' }

beforeEach(() => {
  queryClient.clear()
  beSignedIn({})
})

function portalWith(invitations: unknown[], more: Parameters<typeof serveApi>[0] = {}) {
  const now = { invitations }
  const answered = () => {
    now.invitations = now.invitations.slice(1)
    return answer(null, 204)
  }
  return serveApi({
    [`GET ${path}`]: () => answer(now.invitations),
    [`POST ${path}/i1`]: answered,
    [`DELETE ${path}/i1`]: answered,
    'GET /identity/v1/accounts': answer([{ Key: 2, Value: 'Harbor' }]),
    ...more,
  })
}

test('an invitation names the inviter and the account, and can be accepted', async () => {
  const sent = portalWith([harbor])
  const { user } = renderApp(<InvitationNotices />)
  const notice = await screen.findByRole('region', { name: 'chief@example.com invited you to Harbor' })
  await user.click(within(notice).getByRole('button', { name: 'Accept' }))
  expect(await screen.findByText('You can now work in Harbor.')).toBeVisible()
  await waitFor(() =>
    expect(screen.queryByRole('region', { name: 'chief@example.com invited you to Harbor' })).toBeNull(),
  )
  expect(sent.map(({ call }) => call)).toContain(`POST ${path}/i1`)
})

test('an invitation is declined after confirmation', async () => {
  const sent = portalWith([{ ...harbor, account: null, invitedBy: null }])
  const { user } = renderApp(<InvitationNotices />)
  const notice = await screen.findByRole('region', { name: 'You are invited to all accounts' })
  await user.click(within(notice).getByRole('button', { name: 'Decline' }))
  const question = await screen.findByRole('dialog', { name: 'Decline the invitation' })
  await user.click(within(question).getByRole('button', { name: 'Yes, decline' }))
  expect(await screen.findByText('The invitation was declined.')).toBeVisible()
  expect(sent.map(({ call }) => call)).toContain(`DELETE ${path}/i1`)
})

test('a refusal by the server is shown, and without invitations nothing is', async () => {
  portalWith([harbor], { [`POST ${path}/i1`]: refusal(404, 'not_found', 'This invitation is gone.') })
  const { user, unmount } = renderApp(<InvitationNotices />)
  await user.click(await screen.findByRole('button', { name: 'Accept' }))
  expect(await screen.findByText('This invitation is gone.')).toBeVisible()
  unmount()
  queryClient.clear()
  portalWith([])
  renderApp(<InvitationNotices />)
  await waitFor(() => expect(queryClient.getQueryData(['own invitations'])).toEqual([]))
  expect(screen.queryByRole('button', { name: 'Accept' })).toBeNull()
})
