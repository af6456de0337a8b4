// An id has one spelling: conditions of policies compare it as text, so another spelling would get round them.

/** Whether a text is a number of a row as the portal writes it: up to 18 digits, which any bigint holds. */
export const isRowNumber = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text)

/** Whether a text is a UUID as the portal writes it, in lower case. */
export const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
