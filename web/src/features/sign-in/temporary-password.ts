import { useNavigate } from 'react-router'
import { isApiError } from '#lib/api/api-error.ts'
import { paths } from '#lib/paths.ts'

/**
 * Leads a person with a temporary password to the page where they choose their own; rethrows any other error of a
 * sign-in.
 */
export function useOwnChoice(): (error: unknown) => Promise<void> {
  const navigate = useNavigate()
  return async (error) => {
    if (!isApiError(error, 'password_temporary')) throw error
    // As the contract defines the details.
    const { link } = error.details as { link: string }
    // Not in the address: it is as good as the password.
    await navigate(paths.resetPassword(), { state: { ownChoice: link } })
  }
}
