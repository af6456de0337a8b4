export * from '@portico/domain/names'
