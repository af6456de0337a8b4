// An id has only one spelling: conditions of policies compare ids as text, and another spelling would bypass them.

/** Returns whether a text is the number of a row as the portal writes it: up to 18 digits, which any bigint holds. */
export const isRowNumber = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text)

/** Returns whether a text is a UUID as the portal writes it, in lower case. */
export const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)

/** Returns the UUIDs in a text. */
export const uuidsIn = (text: string): string[] => text.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g) ?? []

/** The UUID of a saved filter where JSON, or JSON within it, names it: in a stage, in a cell, or as that of a report. */
export const filterInText = /(?:predefined|rdl)\\*"\s*:\s*\\*"([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/g
