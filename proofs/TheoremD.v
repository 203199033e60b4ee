(* claims: thm-d
   theorems: regret_identity gradient_size theorem_d theorem_d_step_size

   Theorem D: convergence, term by term.  Deterministic: the bound holds for every width, every
   initialization and every adversary, and is a statement about finite sums. *)

From Coq Require Import Reals Lra Lia.
Require Import Sums Prop1.
Open Scope R_scope.

Definition mean (n : nat) (u : nat -> R) : R := / INR n * sum n u.

Lemma mean_le n u v : (forall i, (i < n)%nat -> u i <= v i) -> mean n u <= mean n v.
Proof.
  intros H. destruct n; [unfold mean; simpl; lra|].
  apply Rmult_le_compat_l; [|now apply sum_le].
  left. apply Rinv_0_lt_compat, lt_0_INR. lia.
Qed.

Lemma mean_plus n u v : mean n (fun i => u i + v i) = mean n u + mean n v.
Proof. unfold mean. rewrite sum_plus. ring. Qed.

Lemma mean_const n c : (0 < n)%nat -> mean n (fun _ => c) = c.
Proof. intros Hn. unfold mean. rewrite sum_const. field. now apply not_0_INR, Nat.neq_0_lt_0. Qed.

Lemma mean_scal n c u : mean n (fun i => c * u i) = c * mean n u.
Proof. unfold mean. rewrite sum_scal. ring. Qed.

Lemma mean_ext n u v : (forall i, (i < n)%nat -> u i = v i) -> mean n u = mean n v.
Proof. intros H. unfold mean. f_equal. now apply sum_ext. Qed.

Lemma mean_swap n k (u : nat -> nat -> R) :
  mean n (fun i => sum k (u i)) = sum k (fun j => mean n (fun i => u i j)).
Proof. unfold mean. now rewrite sum_swap, sum_scal. Qed.

(* The norm of a mean is at most the mean of the norms: take the inner product with it. *)
Lemma norm_mean d n (c : nat -> R) (x : nat -> nat -> R) :
  (forall i, (i < n)%nat -> norm d (x i) = 1) ->
  norm d (fun j => mean n (fun i => c i * x i j)) <= mean n (fun i => Rabs (c i)).
Proof.
  intros Hx. set (v := fun j => mean n (fun i => c i * x i j)).
  assert (E : dot d v v = mean n (fun i => c i * dot d (x i) v)).
  { transitivity (sum d (fun j => mean n (fun i => c i * (x i j * v j)))).
    - apply sum_ext. intros j _. change (v j) with (mean n (fun i => c i * x i j)) at 1.
      unfold mean. rewrite Rmult_assoc, (Rmult_comm (sum n _)), <- sum_scal. f_equal.
      apply sum_ext. intros. ring.
    - rewrite <- mean_swap. unfold mean. f_equal. apply sum_ext. intros i _.
      unfold dot. now rewrite sum_scal. }
  assert (L : norm d v * norm d v <= mean n (fun i => Rabs (c i)) * norm d v).
  { rewrite norm_sq, E. replace (mean n (fun i => Rabs (c i)) * norm d v)
      with (mean n (fun i => norm d v * Rabs (c i))) by (unfold mean; rewrite sum_scal; ring).
    apply mean_le. intros i Hi. pose proof (cauchy_schwarz d (x i) v) as C. rewrite (Hx i Hi) in C.
    eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. pose proof (Rabs_pos (c i)). nra. }
  destruct (Req_dec (norm d v) 0) as [Z|Z].
  - rewrite Z. rewrite <- (Rmult_0_r (/ INR n)), <- (Rmult_0_r (INR n)), <- sum_const.
    apply mean_le. intros. apply Rabs_pos.
  - pose proof (norm_ge0 d v). apply Rmult_le_reg_r with (norm d v); lra.
Qed.

Section Training.
Variables (d m n : nat) (act : activation) (tau a eta : R).
Variables (out : nat -> R) (W0 : nat -> nat -> R) (b0 : nat -> R).
Variables (y : nat -> R) (loss slope : R -> R -> R).
Variable cap : nat -> (nat -> R) -> Prop.   (* where the adversary may move input i *)
Variable xt : nat -> nat -> nat -> R.       (* what it returned: in step t, for input i *)

Definition weights := nat -> nat -> R.
Definition pre (W : weights) (x : nat -> R) (r : nat) : R := dot d (W r) x + b0 r.
Definition active (W : weights) (x : nat -> R) (r : nat) : R := above (pre W x r) tau.
Definition f (W : weights) (x : nat -> R) : R :=
  sum m (fun r => out r * sigma act tau (pre W x r)).
Definition g (W : weights) (x : nat -> R) : R :=
  sum m (fun r => out r * (dot d (minus (W r) (W0 r)) x * active W0 x r)).

(* The formal gradient of Algorithm 1, and that of g with the same derivatives of the loss. *)
Definition slope_at (W : weights) (t i : nat) : R := slope (y i) (f W (xt t i)).
Definition gradient (t : nat) (W : weights) (r j : nat) : R :=
  mean n (fun i => (slope_at W t i * out r * active W (xt t i) r) * xt t i j).
Definition pseudo_gradient (t : nat) (W : weights) (r j : nat) : R :=
  mean n (fun i => (slope_at W t i * out r * active W0 (xt t i) r) * xt t i j).

Fixpoint run (t : nat) : weights :=
  match t with O => W0 | S k => fun r j => run k r j - eta * gradient k (run k) r j end.

Definition inner (V W : weights) : R := sum m (fun r => dot d (V r) (W r)).
Definition sub (V W : weights) : weights := fun r => minus (V r) (W r).
Definition frobenius_sq (W : weights) : R := inner W W.
Definition within (delta : R) (W : weights) : Prop :=
  forall r, (r < m)%nat -> norm d (minus (W r) (W0 r)) <= delta.

Variable Wstar : weights.

(* Step 4: one step changes the squared distance to W* as in every proof of gradient descent ... *)
Lemma one_step t :
  frobenius_sq (sub (run (S t)) Wstar)
  = frobenius_sq (sub (run t) Wstar) - 2 * eta * inner (gradient t (run t)) (sub (run t) Wstar)
    + eta * eta * frobenius_sq (gradient t (run t)).
Proof.
  unfold frobenius_sq, inner. rewrite <- !sum_scal, <- sum_minus, <- sum_plus. apply sum_ext.
  intros r _. unfold dot. rewrite <- !sum_scal, <- sum_minus, <- sum_plus. apply sum_ext.
  intros j _. unfold sub, minus. simpl. ring.
Qed.

(* ... and the changes telescope: the regret identity, without any hypothesis. *)
Theorem regret_identity T :
  2 * eta * sum T (fun t => inner (gradient t (run t)) (sub (run t) Wstar))
  = frobenius_sq (sub W0 Wstar) - frobenius_sq (sub (run T) Wstar)
    + eta * eta * sum T (fun t => frobenius_sq (gradient t (run t))).
Proof.
  induction T as [|T IH]; [simpl; ring|].
  cbn [sum]. pose proof (one_step T). nra.
Qed.

Variables (T : nat) (worst : nat -> R) (D_W G_sq N : R) (Gamma : R -> R).
Hypotheses (Hm : (0 < m)%nat) (Hn : (0 < n)%nat) (HT : (0 < T)%nat) (Heta : 0 < eta) (Ha : 0 <= a).
Hypothesis Hout : forall r, (r < m)%nat -> Rabs (out r) <= a.
(* The loss is convex and 1-Lipschitz in the prediction, with [slope] a subgradient of it. *)
Hypothesis Hconvex : forall label p q, loss label p + slope label p * (q - p) <= loss label q.
Hypothesis Hslope : forall label p, Rabs (slope label p) <= 1.
(* The adversary stays in the caps, which lie on the unit sphere. *)
Hypothesis Hcap : forall i x, (i < n)%nat -> cap i x -> norm d x = 1.
Hypothesis Hxt : forall t i, (t < T)%nat -> (i < n)%nat -> cap i (xt t i).
(* worst i: the robust loss of W* at input i, the supremum over its cap. *)
Hypothesis Hworst : forall i, (i < n)%nat ->
  is_lub (fun v => exists x, cap i x /\ v = loss (y i) (f Wstar x)) (worst i).
Hypothesis HD_W : within D_W Wstar.
(* G_sq bounds the squared norms of the gradients: G^2 in the book. *)
Hypothesis HG : forall t, (t < T)%nat -> frobenius_sq (gradient t (run t)) <= G_sq.
(* At most N neurons are in another state than at the start, at any point that the adversary
   returned. *)
Hypothesis HN : forall t i, (t < T)%nat -> (i < n)%nat ->
  sum m (fun r => Rabs (active W0 (xt t i) r - active (run t) (xt t i) r)) <= N.
(* Gamma(delta) bounds |f - g - B| over the caps and the ball of radius delta; B = f W0. *)
Hypothesis HGamma : forall delta W i x, (i < n)%nat -> cap i x -> within delta W ->
  Rabs (f W x - g W x - f W0 x) <= Gamma delta.

Definition D : R := eta * a * INR T.

Lemma unit_xt t i : (t < T)%nat -> (i < n)%nat -> norm d (xt t i) = 1.
Proof. intros. apply (Hcap i); auto. Qed.

Lemma active_01 W x r : active W x r = 0 \/ active W x r = 1.
Proof. unfold active, above. destruct (Rlt_dec _ _); auto. Qed.

(* Each coefficient of a gradient is at most a times its indicator. *)
Lemma coefficient W t i r s :
  (r < m)%nat -> Rabs (slope_at W t i * out r * s) <= a * Rabs s.
Proof.
  intros Hr. rewrite !Rabs_mult. pose proof (Hslope (y i) (f W (xt t i))). pose proof (Hout r Hr).
  unfold slope_at. pose proof (Rabs_pos s). pose proof (Rabs_pos (slope (y i) (f W (xt t i)))).
  pose proof (Rabs_pos (out r)). apply Rmult_le_compat_r; nra.
Qed.

(* Step 5, Jensen's inequality: the norm of a row is at most a times the mean of the indicators. *)
Lemma gradient_row t r : (t < T)%nat -> (r < m)%nat ->
  norm d (gradient t (run t) r) <= a * mean n (fun i => active (run t) (xt t i) r).
Proof.
  intros Ht Hr. unfold gradient. eapply Rle_trans.
  - apply norm_mean. intros. now apply unit_xt.
  - replace (a * mean n (fun i => active (run t) (xt t i) r))
      with (mean n (fun i => a * active (run t) (xt t i) r))
      by (unfold mean; rewrite sum_scal; ring).
    apply mean_le. intros i _.
    rewrite <- (Rabs_pos_eq (active (run t) (xt t i) r)) at 2; [now apply coefficient|].
    destruct (active_01 (run t) (xt t i) r) as [-> | ->]; lra.
Qed.

Lemma mean_active t r :
  0 <= mean n (fun i => active (run t) (xt t i) r) <= 1.
Proof.
  split.
  - rewrite <- (mean_const n 0) by exact Hn. apply mean_le. intros i _.
    destruct (active_01 (run t) (xt t i) r) as [-> | ->]; lra.
  - rewrite <- (mean_const n 1) by exact Hn. apply mean_le. intros i _.
    destruct (active_01 (run t) (xt t i) r) as [-> | ->]; lra.
Qed.

(* With at most k neurons active, G^2 = a^2 k will do. *)
Theorem gradient_size k t : (t < T)%nat ->
  (forall i, (i < n)%nat -> sum m (active (run t) (xt t i)) <= k) ->
  frobenius_sq (gradient t (run t)) <= a * a * k.
Proof.
  intros Ht Hk. apply Rle_trans with
    (sum m (fun r => a * a * mean n (fun i => active (run t) (xt t i) r))).
  - apply sum_le. intros r Hr. rewrite <- norm_sq. pose proof (gradient_row t r Ht Hr).
    pose proof (mean_active t r). pose proof (norm_ge0 d (gradient t (run t) r)).
    set (p := mean n _) in *. set (q := norm d _) in *.
    apply Rle_trans with ((a * p) * (a * p)); [now apply Rmult_le_compat|].
    replace (a * p * (a * p)) with (a * a * (p * p)) by ring.
    apply Rmult_le_compat_l; nra.
  - rewrite sum_scal, <- mean_swap. apply Rmult_le_compat_l; [nra|].
    rewrite <- (mean_const n k) by exact Hn. apply mean_le. intros i Hi. now apply Hk.
Qed.

(* Step 2: every row moves by at most eta a in a step, so the run stays in the ball of radius D. *)
Lemma run_within t : (t <= T)%nat -> within D (run t).
Proof.
  intros Ht r Hr. apply Rle_trans with (eta * a * INR t).
  2:{ unfold D. apply Rmult_le_compat_l; [nra | now apply le_INR]. }
  induction t as [|t IH].
  - simpl. replace (norm d (minus (W0 r) (W0 r))) with 0; [lra|].
    unfold norm, dot, minus. rewrite <- sqrt_0 at 1. f_equal.
    transitivity (sum d (fun _ => 0)); [rewrite sum_const; ring | apply sum_ext; intros; ring].
  - replace (norm d (minus (run (S t) r) (W0 r)))
      with (norm d (minus (minus (run t r) (W0 r)) (fun j => eta * gradient t (run t) r j))).
    2:{ unfold norm, dot, minus. f_equal. apply sum_ext. intros. simpl. ring. }
    eapply Rle_trans; [apply norm_minus|]. rewrite norm_scal, (Rabs_pos_eq eta), S_INR by lra.
    pose proof (gradient_row t r ltac:(lia) Hr). pose proof (mean_active t r).
    assert (norm d (gradient t (run t) r) <= a) by nra. specialize (IH ltac:(lia)). nra.
Qed.

Lemma distance t r : (t <= T)%nat -> (r < m)%nat ->
  norm d (minus (run t r) (Wstar r)) <= D + D_W.
Proof.
  intros Ht Hr. replace (norm d (minus (run t r) (Wstar r)))
    with (norm d (minus (minus (run t r) (W0 r)) (minus (Wstar r) (W0 r)))).
  2:{ unfold norm, dot, minus. f_equal. apply sum_ext. intros. ring. }
  eapply Rle_trans; [apply norm_minus|]. pose proof (run_within t Ht r Hr).
  pose proof (HD_W r Hr). lra.
Qed.

(* Step 3: g is linear in W, so its differences are inner products with its gradient. *)
Lemma linear t : (t < T)%nat ->
  mean n (fun i => slope_at (run t) t i * (g (run t) (xt t i) - g Wstar (xt t i)))
  = inner (pseudo_gradient t (run t)) (sub (run t) Wstar).
Proof.
  intros Ht. unfold inner, pseudo_gradient.
  transitivity (mean n (fun i => sum m (fun r => sum d (fun j =>
    slope_at (run t) t i * out r * active W0 (xt t i) r * xt t i j * sub (run t) Wstar r j)))).
  - unfold mean. f_equal. apply sum_ext. intros i _. unfold g. rewrite <- sum_minus, <- sum_scal.
    apply sum_ext. intros r _. rewrite !dot_minus_l.
    transitivity (slope_at (run t) t i * out r * active W0 (xt t i) r
      * dot d (minus (run t r) (Wstar r)) (xt t i)); [rewrite dot_minus_l; ring|].
    unfold dot. rewrite <- sum_scal. apply sum_ext. intros. unfold sub. ring.
  - rewrite mean_swap. apply sum_ext. intros r _. rewrite mean_swap. unfold dot. apply sum_ext.
    intros j _. rewrite Rmult_comm, <- mean_scal. apply mean_ext. intros. ring.
Qed.

(* Step 6: both gradients carry the same derivative of the loss, and differ only in the neurons
   that changed their state. *)
Lemma coupling t : (t < T)%nat ->
  inner (sub (pseudo_gradient t (run t)) (gradient t (run t))) (sub (run t) Wstar)
  <= a * N * (D + D_W).
Proof.
  intros Ht.
  set (flips := fun r => mean n (fun i =>
    Rabs (active W0 (xt t i) r - active (run t) (xt t i) r))).
  apply Rle_trans with (sum m (fun r => (a * (D + D_W)) * flips r)).
  - apply sum_le. intros r Hr. eapply Rle_trans; [apply Rle_abs|].
    eapply Rle_trans; [apply cauchy_schwarz|].
    assert (Hrow : norm d (sub (pseudo_gradient t (run t)) (gradient t (run t)) r) <= a * flips r).
    { replace (norm d (sub (pseudo_gradient t (run t)) (gradient t (run t)) r))
        with (norm d (fun j => mean n (fun i => (slope_at (run t) t i * out r
          * (active W0 (xt t i) r - active (run t) (xt t i) r)) * xt t i j))).
      2:{ unfold norm, dot, sub, minus, pseudo_gradient, gradient, mean. f_equal. apply sum_ext.
          intros j _. f_equal; rewrite <- Rmult_minus_distr_l, <- sum_minus; f_equal;
            apply sum_ext; intros; ring. }
      eapply Rle_trans; [apply norm_mean; intros; now apply unit_xt|].
      unfold flips. replace (a * mean n (fun i =>
          Rabs (active W0 (xt t i) r - active (run t) (xt t i) r)))
        with (mean n (fun i => a * Rabs (active W0 (xt t i) r - active (run t) (xt t i) r)))
        by (unfold mean; rewrite sum_scal; ring).
      apply mean_le. intros i _. now apply coefficient. }
    pose proof (distance t r ltac:(lia) Hr) as Hd.
    replace (a * (D + D_W) * flips r) with (a * flips r * (D + D_W)) by ring.
    apply Rmult_le_compat; auto using norm_ge0.
  - rewrite sum_scal. unfold flips. rewrite <- mean_swap.
    replace (a * N * (D + D_W)) with (a * (D + D_W) * N) by ring.
    assert (0 <= D + D_W) by
      (eapply Rle_trans; [apply norm_ge0 | apply (distance t 0); lia]).
    assert (Hmean : mean n (fun i => sum m (fun r =>
      Rabs (active W0 (xt t i) r - active (run t) (xt t i) r))) <= N).
    { rewrite <- (mean_const n N) by exact Hn. apply mean_le. intros i Hi. now apply HN. }
    apply Rmult_le_compat_l; [nra | exact Hmean].
Qed.

(* Steps 1, 2 and 7 in a step t: convexity, the exchange of f for g, and the robust loss of W*. *)
Lemma one_step_regret t : (t < T)%nat ->
  mean n (fun i => loss (y i) (f (run t) (xt t i)))
  <= mean n worst + inner (gradient t (run t)) (sub (run t) Wstar)
     + a * N * (D + D_W) + (Gamma D + Gamma D_W).
Proof.
  intros Ht. apply Rle_trans with (mean n (fun i => worst i
    + (slope_at (run t) t i * (g (run t) (xt t i) - g Wstar (xt t i)) + (Gamma D + Gamma D_W)))).
  - apply mean_le. intros i Hi.
    pose proof (Hconvex (y i) (f (run t) (xt t i)) (f Wstar (xt t i))) as C.
    assert (W1 : loss (y i) (f Wstar (xt t i)) <= worst i)
      by (apply (Hworst i Hi); exists (xt t i); auto).
    pose proof (HGamma D (run t) i (xt t i) Hi (Hxt t i Ht Hi) (run_within t ltac:(lia))) as G1.
    pose proof (HGamma D_W Wstar i (xt t i) Hi (Hxt t i Ht Hi) HD_W) as G2.
    pose proof (Hslope (y i) (f (run t) (xt t i))) as S1. unfold slope_at.
    set (s := slope _ _) in *. set (B := f W0 _) in *.
    set (ft := f (run t) _) in *. set (fs := f Wstar _) in *.
    set (gt := g (run t) _) in *. set (gs := g Wstar _) in *.
    assert (s * ((ft - gt - B) - (fs - gs - B)) <= Gamma D + Gamma D_W).
    { eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult.
      assert (Rabs ((ft - gt - B) - (fs - gs - B)) <= Gamma D + Gamma D_W)
        by (eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra).
      pose proof (Rabs_pos s). pose proof (Rabs_pos ((ft - gt - B) - (fs - gs - B))). nra. }
    lra.
  - rewrite !mean_plus, linear, !mean_const by assumption.
    pose proof (coupling t Ht) as C.
    replace (inner (pseudo_gradient t (run t)) (sub (run t) Wstar)) with
      (inner (gradient t (run t)) (sub (run t) Wstar)
       + inner (sub (pseudo_gradient t (run t)) (gradient t (run t))) (sub (run t) Wstar)).
    2:{ unfold inner. rewrite <- sum_plus. apply sum_ext. intros r _. unfold sub at 2.
        rewrite dot_minus_l. ring. }
    lra.
Qed.

Theorem theorem_d :
  mean T (fun t => mean n (fun i => loss (y i) (f (run t) (xt t i))))
  <= mean n worst                                                           (* L_A*(f_W-star) *)
     + (frobenius_sq (sub Wstar W0) / (2 * eta * INR T) + eta * G_sq / 2)   (* optimization *)
     + a * N * (D + D_W)                                                    (* coupling *)
     + (Gamma D + Gamma D_W).                                               (* approximation *)
Proof.
  assert (HTR : 0 < INR T) by now apply lt_0_INR.
  eapply Rle_trans; [apply mean_le; intros t Ht; apply (one_step_regret t Ht)|].
  rewrite !mean_plus, !mean_const by exact HT.
  cut (mean T (fun t => inner (gradient t (run t)) (sub (run t) Wstar))
    <= frobenius_sq (sub Wstar W0) / (2 * eta * INR T) + eta * G_sq / 2); [lra|].
  pose proof (regret_identity T) as E.
  assert (H0 : 0 <= frobenius_sq (sub (run T) Wstar)) by (apply sum_pos; intros; apply dot_ge0).
  assert (H1 : sum T (fun t => frobenius_sq (gradient t (run t))) <= INR T * G_sq).
  { rewrite <- sum_const. apply sum_le. intros. now apply HG. }
  assert (H2 : frobenius_sq (sub W0 Wstar) = frobenius_sq (sub Wstar W0)).
  { apply sum_ext. intros r _. apply sum_ext. intros. unfold sub, minus. ring. }
  rewrite H2 in E. unfold mean. set (S := sum T (fun t => inner _ _)) in *.
  apply Rmult_le_reg_l with (2 * eta * INR T); [nra|].
  replace (2 * eta * INR T * (/ INR T * S)) with (2 * eta * S) by (field; lra).
  replace (2 * eta * INR T * (frobenius_sq (sub Wstar W0) / (2 * eta * INR T) + eta * G_sq / 2))
    with (frobenius_sq (sub Wstar W0) + eta * eta * (INR T * G_sq)) by (field; lra).
  assert (eta * eta * sum T (fun t => frobenius_sq (gradient t (run t)))
    <= eta * eta * (INR T * G_sq)) by (apply Rmult_le_compat_l; nra).
  lra.
Qed.

(* The step size eta = eps/G^2 with T >= D_F^2 G^2/eps^2 steps makes the optimization term at
   most eps. *)
Theorem theorem_d_step_size eps :
  0 < eps -> 0 < G_sq -> eta = eps / G_sq ->
  frobenius_sq (sub Wstar W0) * G_sq / eps ^ 2 <= INR T ->
  frobenius_sq (sub Wstar W0) / (2 * eta * INR T) + eta * G_sq / 2 <= eps.
Proof.
  intros He HGp -> Hsteps. assert (HTR : 0 < INR T) by now apply lt_0_INR.
  set (F := frobenius_sq _) in *.
  assert (F * G_sq <= eps * eps * INR T).
  { apply Rmult_le_reg_r with (/ eps ^ 2); [apply Rinv_0_lt_compat; nra|].
    replace (eps * eps * INR T * / eps ^ 2) with (INR T) by (field; lra). exact Hsteps. }
  replace (F / (2 * (eps / G_sq) * INR T) + eps / G_sq * G_sq / 2)
    with (F * G_sq / (2 * eps * INR T) + eps / 2) by (field; lra).
  cut (F * G_sq / (2 * eps * INR T) <= eps / 2); [lra|].
  apply Rmult_le_reg_r with (2 * eps * INR T); [nra|].
  replace (F * G_sq / (2 * eps * INR T) * (2 * eps * INR T)) with (F * G_sq) by (field; lra). nra.
Qed.
End Training.
