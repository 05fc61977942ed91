// The glue in Go: the engine's rows, best first, become the order to show; clicks go back.
// SPDX-License-Identifier: ISC
package behind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

var API, client = "http://127.0.0.1:8080", http.Client{Timeout: 500 * time.Millisecond}

type Row struct {
	Name     string    `json:"name"`
	Features []float64 `json:"features"`
}

func ask(path string, said map[string]any, answer any) error {
	body, _ := json.Marshal(said)
	reply, err := client.Post(API+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != 200 && reply.StatusCode != 204 {
		return fmt.Errorf("status %d", reply.StatusCode)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(reply.Body).Decode(answer)
}

// Ranked gives the name of the request and the order to show; without an answer "" and the engine's own order.
func Ranked(query string, rows []Row) (string, []Row) {
	var found struct {
		Request string
		Ranking []string
	}
	if ask("/rank", map[string]any{"query": query, "documents": rows}, &found) != nil {
		return "", rows
	}
	order, byName := []Row{}, map[string]Row{}
	for _, row := range rows {
		byName[row.Name] = row
	}
	for _, name := range found.Ranking {
		order = append(order, byName[name])
	}
	return found.Request, order
}

func Clicked(request string, places []int, shown int) error {
	return ask("/answer", map[string]any{"request": request, "clicks": places, "shown": shown}, nil)
}
