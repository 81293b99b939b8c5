// Go takes a function without a body (newManagerImpl, linked by name) only beside an assembly file.
