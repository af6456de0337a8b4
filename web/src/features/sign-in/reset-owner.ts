import { ownAccountApi } from '@portico/contract/own-account'
import { useQuery } from '@tanstack/react-query'
import { isApiError } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'

/** The person whose password the link resets; null if it was used, has expired or never existed. */
export const useResetOwner = (link: string) =>
  useQuery({
    queryKey: ['password reset', link],
    queryFn: async ({ signal }) => {
      try {
        return await call(ownAccountApi.readPasswordReset, { body: { link } }, { signal })
      } catch (error) {
        // A text that is too short or too long to be a link is refused as invalid input.
        if (isApiError(error, 'link_invalid', 'invalid_input', 'not_found')) return null
        throw error
      }
    },
    enabled: link !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
