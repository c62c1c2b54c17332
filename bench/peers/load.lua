-- For wrk: posts BODY to /predict, or gets /result/ of the ids that the file IDS names, at random.
local headers = { authorization = "Bearer " .. os.getenv("TOKEN"), ["content-type"] = "application/json" }
local requests = {}

function init(args)
  local file = os.getenv("IDS")
  if file then
    math.randomseed(os.time())
    for id in io.lines(file) do
      requests[#requests + 1] = wrk.format("GET", "/result/" .. id, headers)
    end
  else
    requests[1] = wrk.format("POST", "/predict", headers, os.getenv("BODY"))
  end
end

function request()
  return requests[math.random(#requests)]
end

function done(summary)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("RESULT %d %d %d %d\n", summary.requests, summary.duration, errors.status, broken))
end
