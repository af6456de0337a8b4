import { useLocation, useNavigate } from 'react-router'
import { messageOf } from '#lib/api/api-error.ts'
import { paths } from '#lib/paths.ts'
import { enterAccount, SupersededError } from '#lib/session/session.ts'
import { mayLeave } from '#ui/form/unsaved.ts'
import { notifyError } from '#ui/feedback/notify.ts'
import { mayOpen, placeBeyondAccounts } from '../access.ts'

/** Enters an account, and shows the reason if that fails. */
export function useEnter() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return async (account: number): Promise<void> => {
    if (!(await mayLeave())) return
    try {
      const user = await enterAccount(account)
      // Without the query: page and order belong to the other account's list.
      const place = placeBeyondAccounts(pathname)
      await navigate(mayOpen(place, user) ? place : paths.dashboards())
    } catch (error) {
      if (!(error instanceof SupersededError)) notifyError(messageOf(error))
    }
  }
}
